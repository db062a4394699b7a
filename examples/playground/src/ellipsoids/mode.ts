/** The tab of ellipsoids: two families, and the plane between them at every change. */
import type { Separation } from 'fista-classify';
import { Chart, type Panel } from '../chart.js';
import { byId, takesKeys } from '../dom.js';
import { bracket, brief, plural } from '../numbers.js';
import { Player } from '../player.js';
import { Plot } from '../plot.js';
import { History } from '../points/scene.js';
import { backendText, showResult } from '../result.js';
import { EllipsoidsEditor } from './editor.js';
import { EllipsoidsFigure } from './figure.js';
import { separate, type Goal, type Search } from './separation.js';
import { reduced, type Shape } from './shape.js';

const DOMAIN = { x: [-6, 6], y: [-4.5, 4.5], equal: true } as const;

const START: readonly Shape[] = [
  { family: 0, x: -3.4, y: 1.5, a: 1.25, b: 0.55, angle: 0.6 },
  { family: 0, x: -2.3, y: -1.7, a: 0.95, b: 0.7, angle: -0.3 },
  { family: 1, x: 1.6, y: 2.1, a: 1.3, b: 0.6, angle: -0.5 },
  { family: 1, x: 3.2, y: -0.6, a: 0.8, b: 1.5, angle: 0.35 },
];

const FIELDS = ['a', 'b', 'angle'] as const;

export class EllipsoidsMode {
  readonly #history = new History<readonly Shape[]>(START);
  readonly #plot: Plot;
  readonly #figure: EllipsoidsFigure;
  readonly #editor: EllipsoidsEditor;
  readonly #player: Player;
  readonly #chart: Chart;
  readonly #goal = byId<HTMLSelectElement>('goal');
  #current = 0;
  #search: Search | undefined;
  #fault = '';
  #isDue = false;
  #isActive = false;

  constructor() {
    this.#plot = new Plot(byId<SVGSVGElement>('ellipsoids-plot'), DOMAIN, () => this.#draw());
    this.#figure = new EllipsoidsFigure(this.#plot);
    this.#editor = new EllipsoidsEditor({
      history: this.#history,
      plot: this.#plot,
      current: () => this.#current,
      changed: (shapes) => (shapes ? this.#schedule() : this.#draw()),
    });
    this.#editor.selected = 0;
    this.#player = new Player('ellipsoids', () => this.#draw());
    this.#chart = new Chart(byId<SVGSVGElement>('ellipsoids-chart'), (k) => this.#player.go(k));
    this.#goal.addEventListener('change', () => this.#schedule());
    this.#startButtons();
    document.addEventListener('keydown', (event) => this.#key(event));
    this.#separate();
  }

  set isActive(active: boolean) {
    this.#isActive = active;
    if (active) this.#draw();
    else this.#player.pause();
  }

  redraw(): void {
    this.#draw();
  }

  #startButtons(): void {
    [0, 1].forEach((family) => byId(`family-${family}`).addEventListener('click', () => this.#choose(family)));
    byId('families').addEventListener('keydown', (event) => {
      if (!['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'].includes(event.key)) return;
      event.preventDefault();
      this.#choose(1 - this.#current);
      byId(`family-${this.#current}`).focus();
    });
    byId('ellipsoids-undo').addEventListener('click', () => this.#undo());
    byId('ellipsoids-reset').addEventListener('click', () => {
      this.#history.put(START);
      this.#editor.selected = 0;
      this.#schedule();
    });
    byId('ellipsoids-delete').addEventListener('click', () => this.#editor.remove());
    byId('ellipsoids-add').addEventListener('click', () => this.#editor.add([0, this.#current ? 1 : -1]));
    for (const field of FIELDS) {
      const input = byId<HTMLInputElement>(`shape-${field}`);
      let last: readonly Shape[] | undefined;
      input.addEventListener('input', () => {
        const value = Number(input.value);
        // From the first to the last place of the slider it is one step to go back, if nothing else has changed meanwhile.
        this.#editor.edit({ [field]: field === 'angle' ? (value * Math.PI) / 180 : value }, this.#history.now === last);
        last = this.#history.now;
      });
      input.addEventListener('change', () => (last = undefined));
    }
  }

  #choose(family: number): void {
    this.#current = family;
    this.#draw();
  }

  #undo(): void {
    this.#history.undo();
    this.#editor.selected = Math.min(this.#editor.selected, this.#history.now.length - 1);
    this.#schedule();
  }

  #key(event: KeyboardEvent): void {
    if (!this.#isActive) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z') {
      event.preventDefault();
      return this.#undo();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || takesKeys(event)) return;
    if (event.key === '1' || event.key === '2') this.#choose(Number(event.key) - 1);
    else if (event.key === ' ') this.#player.toggle();
    else return;
    event.preventDefault();
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#separate();
    });
  }

  #separate(): void {
    const shapes = this.#history.now;
    this.#search = undefined;
    this.#fault = '';
    if ([0, 1].every((family) => shapes.some((shape) => shape.family === family))) {
      try {
        this.#search = separate(shapes, this.#goal.value as Goal);
      } catch (error) {
        this.#fault = error instanceof Error ? error.message : String(error);
      }
    }
    this.#player.start(this.#search?.iterations ?? 1);
    this.#draw();
  }

  #draw(): void {
    const search = this.#search;
    const k = this.#player.k;
    const result = search?.at(k);
    this.#plot.show(DOMAIN);
    this.#figure.draw(this.#history.now, this.#editor.selected, result);
    this.#drawControls();
    this.#chart.draw([this.#panel(search, result)], search?.iterations ?? 1, k);
    if (!result) {
      const headline = this.#fault || 'Draw at least one ellipsoid of each family.';
      return showResult('ellipsoids', {
        status: this.#fault ? 'error' : 'empty',
        good: false,
        passing: false,
        headline,
        facts: [['Backend', backendText()]],
      });
    }
    const { lower, upper } = result.distance;
    showResult('ellipsoids', {
      status: result.status,
      passing: this.#editor.isDragging || this.#player.isPlaying,
      good: result.status === 'separated' || result.status === 'touching',
      headline: headlineOf(result, k),
      facts: [...factsOf(result, ['Distance', bracket(lower, upper)]), ['Backend', backendText()]],
    });
  }

  #panel(search: Search | undefined, result: Separation | undefined): Panel {
    const progress = search?.progress ?? [];
    return {
      title: 'Bracket on the distance',
      log: false,
      range: [0, 0],
      curves: [
        { name: 'lower', values: progress.map(({ iteration, distance }) => [iteration, distance.lower] as const) },
        { name: 'upper', values: progress.map(({ iteration, distance }) => [iteration, distance.upper] as const) },
      ],
      band: true,
      marks: result ? [result.distance.lower, result.distance.upper] : [],
    };
  }

  #drawControls(): void {
    const { shape } = this.#editor;
    const shapes = this.#history.now;
    [0, 1].forEach((family) => {
      const button = byId(`family-${family}`);
      const isChosen = family === this.#current;
      button.setAttribute('aria-checked', String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
      button.querySelector('.chip-count')!.textContent = String(shapes.filter((one) => one.family === family).length);
    });
    byId<HTMLButtonElement>('ellipsoids-undo').disabled = !this.#history.canUndo;
    byId<HTMLButtonElement>('ellipsoids-delete').disabled = !shape;
    byId<HTMLFieldSetElement>('shape').disabled = !shape;
    if (!shape) return;
    const values = { a: shape.a, b: shape.b, angle: reduced(Math.round((shape.angle * 180) / Math.PI), 180) };
    for (const field of FIELDS) {
      const input = byId<HTMLInputElement>(`shape-${field}`);
      if (document.activeElement !== input) input.value = String(values[field]);
      byId(`shape-${field}-value`).textContent =
        field === 'angle' ? `${String(values.angle).replace('-', '−')}°` : brief(values[field]);
    }
  }
}

function headlineOf(result: Separation, k: number): string {
  const after = `after ${plural(k, 'iteration')}`;
  if (result.status === 'separated') return `${result.goalReached ? 'Separated' : 'Separated, not yet the widest'} ${after}`;
  if (result.status === 'touching') return `Touching, found ${after}`;
  return `Undecided ${after}`;
}

function factsOf(result: Separation, distance: readonly [string, string]): (readonly [string, string])[] {
  if (result.status === 'separated') {
    return [
      ['Width', brief(result.width)],
      ['Robustness', brief(result.robustness)],
      distance,
      ['Normal', `(${brief(result.normal[0]!)}, ${brief(result.normal[1]!)})`],
      ['Offset', brief(result.offset)],
    ];
  }
  if (result.status === 'touching') return [['Witness', `(${brief(result.witness[0]!)}, ${brief(result.witness[1]!)})`], distance];
  return [distance];
}
