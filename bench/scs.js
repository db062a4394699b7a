// Computes the widest slab between two families of diagonal ellipsoids by scs-solver, the conic solver that a Node user would choose:
//   min |w|^2 / 2  with  |A_i w| <= o - 1 - c_i.w  and  |B_i w| <= d_i.w - o - 1
'use strict';

/** The problem in SCS's form: min x'Px / 2, Ax + s = b, s in a product of cones; x = (w, o). Columns are compressed. */
function form(first, second) {
  const d = first.centers.cols;
  const families = [
    [first, 1],
    [second, -1],
  ];
  const list = families.flatMap(([family, sign]) => Array.from({ length: family.centers.rows }, (_, k) => ({ family, k, sign })));
  const [A_x, A_i, A_p] = [[], [], [0]];
  for (let j = 0; j < d; j++) {
    list.forEach(({ family, k, sign }, i) => {
      const c = family.centers.data[k * d + j];
      if (c !== 0) {
        A_x.push(sign * c);
        A_i.push(i * (d + 1));
      }
      A_x.push(-family.shapes.data[k * d + j]);
      A_i.push(i * (d + 1) + 1 + j);
    });
    A_p.push(A_x.length);
  }
  list.forEach(({ sign }, i) => {
    A_x.push(-sign);
    A_i.push(i * (d + 1));
  });
  A_p.push(A_x.length);
  const m = list.length * (d + 1);
  const b = Array.from({ length: m }, (_, r) => (r % (d + 1) === 0 ? -1 : 0));
  const columns = Array.from({ length: d }, (_, j) => j);
  const P = { P_x: columns.map(() => 1), P_i: columns, P_p: [...columns, d, d] };
  const cone = {
    z: 0,
    l: 0,
    bu: [],
    bl: [],
    bsize: 0,
    q: list.map(() => d + 1),
    qsize: list.length,
    s: [],
    ssize: 0,
    ep: 0,
    ed: 0,
    p: [],
    psize: 0,
  };
  return { data: { m, n: d + 1, A_x, A_i, A_p, ...P, b, c: new Array(d + 1).fill(0) }, cone };
}

/** The width of the slab between the families along a normal; negative if it does not separate them. */
function widthOf(first, second, w) {
  const d = first.centers.cols;
  const norm = Math.hypot(...w);
  const reach = ({ centers, shapes }, sign) => {
    let max = -Infinity;
    for (let i = 0; i < centers.rows; i++) {
      let [dot, square] = [0, 0];
      for (let j = 0; j < d; j++) {
        dot += centers.data[i * d + j] * w[j];
        square += (shapes.data[i * d + j] * w[j]) ** 2;
      }
      max = Math.max(max, sign * dot + Math.sqrt(square));
    }
    return max / norm;
  };
  return -reach(first, 1) - reach(second, -1);
}

/** Returns (first, second, seconds) => { ms, width, status }, or undefined if scs-solver is not installed. */
async function scs() {
  let create;
  try {
    create = require('scs-solver');
  } catch {
    return undefined;
  }
  const SCS = await create();
  return (first, second, seconds) => {
    const { data, cone } = form(first, second);
    const settings = new SCS.ScsSettings();
    SCS.setDefaultSettings(settings);
    settings.verbose = 0;
    settings.timeLimitSecs = seconds;
    const from = performance.now();
    const { x, status } = SCS.solve(data, cone, settings);
    const ms = performance.now() - from;
    return { ms, status, width: x ? widthOf(first, second, Array.from(x).slice(0, first.centers.cols)) : NaN };
  };
}

module.exports = { scs };
