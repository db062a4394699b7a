/** The slider over iterations, with buttons to step and to play. */
import { byId, html } from './dom.js';

/** At most so many states are shown in a play through. */
const FRAMES = 60;
/** Milliseconds of a play through, and from state to state. Where motion is not wanted, states follow one another slowly. */
const [WHOLE, SHORTEST, LONGEST, CALM] = [4500, 75, 350, 500];

export class Player {
  readonly #slider: HTMLInputElement;
  readonly #play: HTMLButtonElement;
  readonly #words: HTMLElement;
  readonly #onMove: (k: number) => void;
  #total = 1;
  #k = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `name` begins the ids of its elements. */
  constructor(name: string, onMove: (k: number) => void) {
    this.#onMove = onMove;
    this.#slider = byId(`${name}-iteration`);
    this.#play = byId(`${name}-play`);
    this.#words = byId(`${name}-iteration-text`);
    this.#slider.addEventListener('input', () => {
      this.go(Number(this.#slider.value)); // read before pause shows the old one
    });
    this.#play.addEventListener('click', () => this.toggle());
    byId(`${name}-back`).addEventListener('click', () => this.step(-1));
    byId(`${name}-forward`).addEventListener('click', () => this.step(1));
  }

  get k(): number {
    return this.#k;
  }

  get isPlaying(): boolean {
    return this.#timer !== undefined;
  }

  /** A new run. It is shown at its end, or where the last one was shown. */
  start(total: number): void {
    const atEnd = this.#k >= this.#total;
    this.#total = total;
    this.#k = atEnd && !this.isPlaying ? total : Math.min(this.#k, total);
    this.#show();
  }

  step(by: number): void {
    this.pause();
    this.#go(this.#k + by);
  }

  go(k: number): void {
    this.pause();
    this.#go(k);
  }

  toggle(): void {
    if (this.isPlaying) return this.go(this.#k);
    if (this.#k >= this.#total) this.#go(1);
    this.#timer = setTimeout(() => this.#next(), this.#pause);
    this.#show();
  }

  pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#show();
  }

  get #pause(): number {
    return matchMedia('(prefers-reduced-motion: reduce)').matches
      ? CALM
      : Math.min(Math.max(WHOLE / this.#total, SHORTEST), LONGEST);
  }

  #next(): void {
    const k = this.#k + Math.ceil(this.#total / FRAMES);
    if (k >= this.#total) return this.go(k); // the last state is not one of many, and is drawn with care
    this.#timer = setTimeout(() => this.#next(), this.#pause);
    this.#go(k);
  }

  #go(k: number): void {
    this.#k = Math.min(Math.max(1, k), this.#total);
    this.#show();
    this.#onMove(this.#k);
  }

  #show(): void {
    const [slider, play] = [this.#slider, this.#play];
    slider.max = String(this.#total);
    slider.value = String(this.#k);
    slider.disabled = this.#total <= 1;
    slider.setAttribute('aria-valuetext', `iteration ${this.#k} of ${this.#total}`);
    slider.style.setProperty('--done', String((this.#k - 1) / Math.max(1, this.#total - 1)));
    play.setAttribute('aria-label', this.isPlaying ? 'Pause' : 'Play the iterations');
    play.classList.toggle('playing', this.isPlaying);
    this.#words.replaceChildren('iteration ', html('b', '', String(this.#k)), ` of ${this.#total}`);
  }
}
