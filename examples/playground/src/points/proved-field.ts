/**
 * The part of the plane whose labels are proved already: there every exact optimum gives a point the label that this model gives it. It is
 * tinted stronger than the rest. Points are asked on a coarse grid, and pixel by pixel where its corners differ.
 */
import type { Fitted } from 'fista-classify';
import type { Plot } from '../plot.js';

/** Pixels from corner to corner. */
const COARSE = 8;

/** `fine`: the size of the smallest squares, in pixels: 1, 2 or 4. */
export function drawProvedField(canvas: HTMLCanvasElement, plot: Plot, model: Fitted<number> | undefined, fine: number): void {
  const { left, top, width, height } = plot.inside;
  const context = canvas.getContext('2d')!;
  const [cols, rows] = [Math.floor(width / fine), Math.floor(height / fine)];
  if (!model || cols < 2 || rows < 2) {
    context.clearRect(0, 0, canvas.width, canvas.height);
    return;
  }
  if (canvas.width !== cols || canvas.height !== rows) [canvas.width, canvas.height] = [cols, rows];
  Object.assign(canvas.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  context.putImageData(
    imageOf(context.createImageData(cols, rows), COARSE / fine, new Asked(model, plot, cols, rows), canvas),
    0,
    0,
  );
}

/** What the model says of squares of the picture: the label where it is proved, else -1 - label. */
class Asked {
  readonly #model: Fitted<number>;
  readonly #place: (i: number, j: number) => [number, number];

  constructor(model: Fitted<number>, plot: Plot, cols: number, rows: number) {
    this.#model = model;
    const [[x0, y0], , [x1, y1]] = plot.box as [[number, number], unknown, [number, number], unknown];
    this.#place = (i, j) => [x0 + ((i + 0.5) / cols) * (x1 - x0), y1 - ((j + 0.5) / rows) * (y1 - y0)];
  }

  /** Of squares given as i, j, i, j, … */
  about(squares: readonly number[]): Int8Array {
    const data = new Float64Array(squares.length);
    for (let k = 0; k < squares.length; k += 2) data.set(this.#place(squares[k]!, squares[k + 1]!), k);
    const points = { data, rows: squares.length / 2, cols: 2 };
    const [labels, proved] = [this.#model.predict(points), this.#model.certify(points)];
    return Int8Array.from(labels, (label, k) => (proved[k] ? label : -1 - label));
  }
}

function imageOf(image: ImageData, step: number, asked: Asked, canvas: HTMLCanvasElement): ImageData {
  const { width, height } = image;
  const pixels = new Uint32Array(image.data.buffer);
  const colours = Uint32Array.from({ length: 8 }, (_, k) => colourOf(canvas, k));
  const fill = (i: number, j: number, answer: number) => {
    if (answer >= 0) pixels[j * width + i] = colours[answer]!;
  };
  const [across, down] = [Math.ceil(width / step), Math.ceil(height / step)];
  const corners: number[] = [];
  for (let j = 0; j <= down; j++) for (let i = 0; i <= across; i++) corners.push(i * step, j * step);
  const answers = asked.about(corners);
  const rest: number[] = [];
  for (let j = 0; j < down; j++) {
    for (let i = 0; i < across; i++) {
      const at = j * (across + 1) + i;
      const answer = answers[at]!;
      const same = answer === answers[at + 1] && answer === answers[at + across + 1] && answer === answers[at + across + 2];
      for (let v = j * step; v < Math.min((j + 1) * step, height); v++) {
        for (let u = i * step; u < Math.min((i + 1) * step, width); u++) {
          if (same) fill(u, v, answer);
          else rest.push(u, v);
        }
      }
    }
  }
  asked.about(rest).forEach((answer, k) => fill(rest[2 * k]!, rest[2 * k + 1]!, answer));
  return image;
}

/** The colour of a class in the scheme in use, opaque, as a pixel. */
function colourOf(canvas: HTMLCanvasElement, k: number): number {
  canvas.style.color = `var(--c${k})`;
  const [red, green, blue] = getComputedStyle(canvas).color.match(/\d+/g)!.map(Number) as [number, number, number];
  return new Uint32Array(Uint8Array.of(red, green, blue, 255).buffer)[0]!;
}
