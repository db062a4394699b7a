/** The tab of points: what is drawn is trained at every change. */
import type { Fitted } from 'fista-classify';
import { byId, html, set, svg, takesKeys } from '../dom.js';
import { Chart, type Panel } from '../chart.js';
import { brief, percent, plural } from '../numbers.js';
import { MARKS, MOST_CLASSES } from '../palette.js';
import { Player } from '../player.js';
import { Plot } from '../plot.js';
import { backendText, showResult } from '../result.js';
import { PointsEditor } from './editor.js';
import { PointsFigure } from './figure.js';
import { sample } from './samples.js';
import { BLANK, classesOf, History, nameOf, type Scene } from './scene.js';
import { SettingsForm } from './settings.js';
import { SharesInSteps } from './shares.js';
import { certified, train, type Run } from './training.js';

const STATUS: Readonly<Record<string, string>> = {
  agreement: 'Labels proved',
  gap: 'Gap reached',
  stale: 'Share no longer grows',
  precision: 'As precise as doubles allow',
  'max-iterations': 'Limit reached',
  'time-limit': 'Stopped by the time limit',
};

export class PointsMode {
  readonly #history = new History<Scene>(sample('overlap')!);
  readonly #plot: Plot;
  readonly #figure: PointsFigure;
  readonly #editor: PointsEditor;
  readonly #player: Player;
  readonly #chart: Chart;
  readonly #form: SettingsForm;
  readonly #shares: SharesInSteps;
  #current = 0;
  #run: Run | undefined;
  #fault = '';
  #isDue = false;
  #isActive = true;

  constructor() {
    this.#plot = new Plot(byId<SVGSVGElement>('points-plot'), BLANK.domain, () => this.#draw());
    this.#figure = new PointsFigure(this.#plot, byId<HTMLCanvasElement>('points-field'));
    this.#editor = new PointsEditor({
      history: this.#history,
      plot: this.#plot,
      current: () => this.#current,
      isErasing: () => byId('eraser').getAttribute('aria-pressed') === 'true',
      changed: (points) => (points ? this.#schedule() : this.#draw()),
      say: (text) => (byId('points-said').textContent = text),
    });
    this.#player = new Player('points', () => this.#draw());
    this.#chart = new Chart(byId<SVGSVGElement>('points-chart'), (k) => this.#player.go(k));
    this.#form = new SettingsForm(() => this.#schedule());
    this.#shares = new SharesInSteps(() => this.#drawChart());
    this.#startButtons();
    document.addEventListener('keydown', (event) => this.#key(event));
    this.#train();
  }

  /** Shows or hides the tab. */
  set isActive(active: boolean) {
    this.#isActive = active;
    if (active) this.#draw();
    else this.#player.pause();
  }

  get scene(): Scene {
    return this.#history.now;
  }

  /** Replaces all points. */
  replace(scene: Scene): void {
    this.#history.put(scene);
    this.#renew();
  }

  redraw(): void {
    this.#draw();
  }

  #startButtons(): void {
    const samples = byId<HTMLSelectElement>('samples');
    samples.addEventListener('change', () => {
      const scene = sample(samples.value);
      samples.value = '';
      if (scene) this.replace(scene);
    });
    const eraser = byId('eraser');
    eraser.addEventListener('click', () => {
      eraser.setAttribute('aria-pressed', String(eraser.getAttribute('aria-pressed') !== 'true'));
    });
    byId('points-undo').addEventListener('click', () => this.#undo());
    byId('points-clear').addEventListener('click', () => this.replace(BLANK));
    byId('add-class').addEventListener('click', () => {
      this.#choose(Math.min(this.scene.classes, MOST_CLASSES - 1));
    });
  }

  #undo(): void {
    this.#history.undo();
    this.#renew();
  }

  /** The scene is another, which may have fewer classes. */
  #renew(): void {
    this.#editor.clear();
    this.#current = Math.min(this.#current, this.scene.classes - 1);
    this.#schedule();
  }

  #key(event: KeyboardEvent): void {
    if (!this.#isActive || document.querySelector('dialog[open]')) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z' && !(event.target instanceof HTMLTextAreaElement)) {
      event.preventDefault();
      return this.#undo();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || takesKeys(event)) return;
    const digit = Number(event.key);
    if (event.key !== ' ' && digit >= 1 && digit <= MOST_CLASSES) this.#choose(digit - 1);
    else if (event.key === ' ') this.#player.toggle();
    else return;
    event.preventDefault();
  }

  /** The class of new points. One that is new to the scene is no step of its own to go back. */
  #choose(k: number): void {
    this.#current = k;
    if (k >= this.scene.classes) this.#history.put({ ...this.scene, classes: k + 1 }, true);
    byId('eraser').setAttribute('aria-pressed', 'false');
    this.#drawClasses();
  }

  /** Trains before the next picture, once, however many changes there were. */
  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#train();
    });
  }

  #train(): void {
    const { spots } = this.scene;
    this.#run = undefined;
    this.#fault = '';
    if (classesOf(spots) > 1) {
      try {
        this.#run = train(spots, this.#form.settings);
      } catch (error) {
        this.#fault = error instanceof Error ? error.message : String(error);
      }
    }
    this.#form.used(this.#run?.model.info.gamma, classesOf(spots));
    this.#player.start(this.#run?.iterations ?? 1);
    this.#shares.start(this.#editor.isDragging ? undefined : this.#run);
    this.#draw();
  }

  #draw(): void {
    const { spots, domain, axes } = this.scene;
    const run = this.#run;
    const k = this.#player.k;
    const model = run?.at(k);
    const rings = model ? certified(model, spots) : [];
    this.#plot.show(domain, axes);
    const { selected, cursor, isDragging } = this.#editor;
    const hurried = isDragging || this.#player.isPlaying;
    this.#figure.draw({ spots, certified: rings, model, selected, cursor, hurried });
    this.#drawClasses();
    drawKey(model);
    byId<HTMLButtonElement>('points-undo').disabled = !this.#history.canUndo;
    byId<HTMLButtonElement>('points-clear').disabled = spots.length === 0;
    byId('points-empty').hidden = spots.length > 0;

    const info = model?.info;
    this.#drawChart();
    if (!run || !model || !info) return this.#showNothing();
    const right = model.predict(spots.map(({ x, y }) => [x, y])).filter((label, i) => label === spots[i]!.k).length;
    const ended = k >= run.iterations;
    showResult('points', {
      status: info.status,
      passing: hurried,
      good: ended && info.status !== 'max-iterations' && info.status !== 'time-limit',
      headline: `${ended ? STATUS[info.status] : 'On the way,'} ${this.#work(run, k)}`,
      facts: [
        ['Relative gap', brief(info.relativeGap)],
        ['Certified', `${info.agreed} of ${info.rows}`],
        ['Method', info.stages.map(({ method }) => method).join(' → ') || info.method],
        ['Accuracy', percent(right, spots.length)],
        ['Passes', brief(info.passes)],
        ['Backend', backendText()],
      ],
    });
  }

  #drawChart(): void {
    const [run, k] = [this.#run, this.#player.k];
    this.#chart.draw(this.#panels(run, run?.at(k).info), run?.iterations ?? 1, k);
  }

  #work({ model }: Run, k: number): string {
    const planes = model.planes.length;
    return planes > 1 ? `after ${plural(k, 'iteration')} or fewer in each of ${planes} planes` : `after ${plural(k, 'iteration')}`;
  }

  #showNothing(): void {
    const classes = classesOf(this.scene.spots);
    const headline = this.#fault || (classes === 1 ? 'Add points of a second class.' : 'Draw points of two classes or more.');
    showResult('points', {
      status: this.#fault ? 'error' : 'empty',
      good: false,
      passing: false,
      headline,
      facts: [['Backend', backendText()]],
    });
  }

  #panels(
    run: Run | undefined,
    info: { readonly relativeGap: number; readonly agreed: number; readonly rows: number } | undefined,
  ): Panel[] {
    const shares = run && (run.shares ?? this.#shares.curve);
    return [
      {
        title: 'Relative gap',
        log: true,
        range: [1e-4, 1],
        curves: [{ name: 'gap', values: run?.gaps ?? [] }],
        marks: info ? [info.relativeGap] : [],
      },
      {
        title: 'Certified share of the points',
        log: false,
        range: [0, 1],
        curves: [{ name: 'share', values: shares ?? [] }],
        marks: info ? [info.agreed / info.rows] : [],
        write: (value) => `${Math.round(100 * value)} %`,
      },
    ];
  }

  /** The classes to choose from, which are the legend too. */
  #drawClasses(): void {
    const { spots, classes } = this.scene;
    const list = byId('classes');
    while (list.children.length > classes) list.lastElementChild!.remove();
    while (list.children.length < classes) list.append(this.#classButton(list.children.length));
    [...list.children].forEach((button, k) => {
      const name = nameOf(this.scene, k);
      const total = spots.filter((spot) => spot.k === k).length;
      set(button, { 'aria-checked': String(k === this.#current), tabindex: k === this.#current ? 0 : -1 });
      set(button, { 'aria-label': `Class ${name}, ${plural(total, 'point')}` });
      const [, label, number] = [...button.children] as [Element, HTMLElement, HTMLElement];
      if (label.textContent !== name) label.textContent = name;
      number.textContent = String(total);
    });
    byId<HTMLButtonElement>('add-class').disabled = classes >= MOST_CLASSES;
  }

  #classButton(k: number): HTMLElement {
    const button = html('button', `chip c${k}`);
    button.type = 'button';
    button.setAttribute('role', 'radio');
    const mark = svg('svg', { viewBox: '-8 -8 16 16', class: 'chip-mark', 'aria-hidden': 'true' });
    svg('path', { d: MARKS[k]! }, mark);
    button.append(mark, html('span', 'chip-name'), html('span', 'chip-count'));
    button.addEventListener('click', () => this.#choose(k));
    button.addEventListener('keydown', (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key] ?? 0;
      const { children } = byId('classes');
      if (by === 0) return;
      event.preventDefault();
      const next = (k + by + children.length) % children.length;
      this.#choose(next);
      (children[next] as HTMLElement).focus();
    });
    return button;
  }
}

/** The key names what is drawn: of several planes, their borders and no margin. Without a model it is that of one plane. */
function drawKey(model: Fitted<number> | undefined): void {
  const isOne = !model || model.planes.length === 1;
  for (const entry of byId('points-key').querySelectorAll<HTMLElement>('[data-planes]')) {
    entry.hidden = (entry.dataset.planes === 'one') !== isOne;
  }
}
