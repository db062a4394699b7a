// A stand-in for the swarm data of the paper ("flocking", UCI's Swarm Behaviour), which are not available here: 24,016 snapshots of 200
// boids, 12 numbers each, from seeded simulations of Reynolds' three rules. The label is +1 (flocking) if the boids of a run obey them,
// -1 if they hardly do.
'use strict';
const { random } = require('./digits.js');

const BOIDS = 200;
const EACH = 12; // x, y, velocity, alignment, separation, cohesion (2 each), neighbours seen, neighbours too near
const ROWS = 24016;
const SIDE = 1000; // the side of the square that they live in, a torus
const SIGHT = 100;
const CELLS = SIDE / SIGHT;
const NEAR = 20;
const FASTEST = 8;
const WARM_UP = 30; // steps before the first snapshot
const SNAPSHOTS = 38; // per run
const BETWEEN = 2; // steps between snapshots

/** The shorter displacement from one coordinate to another. */
const displacement = (from, to) => {
  const d = to - from;
  return d > SIDE / 2 ? d - SIDE : d < -SIDE / 2 ? d + SIDE : d;
};

/** One run: step() moves every boid; numbers(out) writes the snapshot. */
function flock(next, obeys) {
  const make = () => new Float64Array(BOIDS);
  const [x, y, vx, vy, ax, ay, sx, sy, cx, cy, seen, near] = Array.from({ length: EACH }, make);
  for (let i = 0; i < BOIDS; i++) {
    [x[i], y[i]] = [SIDE * next(), SIDE * next()];
    const angle = 2 * Math.PI * next();
    [vx[i], vy[i]] = [4 * Math.cos(angle), 4 * Math.sin(angle)];
  }
  const strength = obeys ? 0.5 + 0.8 * next() : 0.2 * next();
  const noise = 0.3 + 0.7 * next();

  const first = new Int32Array(CELLS * CELLS);
  const after = new Int32Array(BOIDS);
  const meet = (i, j) => {
    const dx = displacement(x[i], x[j]);
    const dy = displacement(y[i], y[j]);
    const square = dx * dx + dy * dy;
    if (square > SIGHT * SIGHT) return;
    seen[i]++;
    seen[j]++;
    ax[i] += vx[j];
    ay[i] += vy[j];
    ax[j] += vx[i];
    ay[j] += vy[i];
    cx[i] += dx;
    cy[i] += dy;
    cx[j] -= dx;
    cy[j] -= dy;
    if (square > NEAR * NEAR) return;
    const push = 1 / (square + 1);
    near[i]++;
    near[j]++;
    sx[i] -= dx * push;
    sy[i] -= dy * push;
    sx[j] += dx * push;
    sy[j] += dy * push;
  };

  const look = () => {
    for (const sum of [ax, ay, sx, sy, cx, cy, seen, near]) sum.fill(0);
    // Each boid meets those of lower number, found by cells as wide as the sight, so only nine cells are searched.
    first.fill(-1);
    for (let i = 0; i < BOIDS; i++) {
      const [column, line] = [Math.floor(x[i] / SIGHT), Math.floor(y[i] / SIGHT)];
      for (let c = -1; c <= 1; c++) {
        for (let l = -1; l <= 1; l++) {
          const cell = ((line + l + CELLS) % CELLS) * CELLS + ((column + c + CELLS) % CELLS);
          for (let j = first[cell]; j >= 0; j = after[j]) meet(i, j);
        }
      }
      const own = line * CELLS + column;
      after[i] = first[own];
      first[own] = i;
    }
    for (let i = 0; i < BOIDS; i++) {
      if (seen[i] === 0) continue;
      ax[i] = ax[i] / seen[i] - vx[i];
      ay[i] = ay[i] / seen[i] - vy[i];
      cx[i] /= seen[i];
      cy[i] /= seen[i];
    }
  };

  const step = () => {
    look();
    for (let i = 0; i < BOIDS; i++) {
      vx[i] += strength * (0.12 * ax[i] + 1.5 * sx[i] + 0.012 * cx[i]) + noise * (2 * next() - 1);
      vy[i] += strength * (0.12 * ay[i] + 1.5 * sy[i] + 0.012 * cy[i]) + noise * (2 * next() - 1);
      const speed = Math.hypot(vx[i], vy[i]);
      if (speed > FASTEST) {
        vx[i] *= FASTEST / speed;
        vy[i] *= FASTEST / speed;
      }
      x[i] = (x[i] + vx[i] + SIDE) % SIDE;
      y[i] = (y[i] + vy[i] + SIDE) % SIDE;
    }
  };

  const numbers = (out) => {
    look();
    const all = [x, y, vx, vy, ax, ay, sx, sy, cx, cy, seen, near];
    for (let i = 0; i < BOIDS; i++) for (let k = 0; k < EACH; k++) out[i * EACH + k] = all[k][i];
  };
  return { step, numbers };
}

/** Returns { points: dense f32, labels, runs }. The rows of a run are consecutive; `runs` has the first row of each. */
function swarm(seed = 1) {
  const next = random(seed);
  const cols = BOIDS * EACH;
  const data = new Float32Array(ROWS * cols);
  const labels = new Float64Array(ROWS);
  const runs = [];
  for (let row = 0; row < ROWS;) {
    runs.push(row);
    const obeys = next() < 0.5;
    const run = flock(next, obeys);
    for (let k = 0; k < WARM_UP; k++) run.step();
    for (let k = 0; k < SNAPSHOTS && row < ROWS; k++, row++) {
      for (let s = 0; s < BETWEEN; s++) run.step();
      run.numbers(data.subarray(row * cols, (row + 1) * cols));
      labels[row] = obeys ? 1 : -1;
    }
  }
  return { points: { data, rows: ROWS, cols }, labels, runs };
}

module.exports = { swarm };
