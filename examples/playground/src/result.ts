/** The line that says how a run ended. */
import { backend } from 'fista-classify';
import { byId, html } from './dom.js';

export interface Result {
  /** The status, for programs and for the colour of the line. */
  readonly status: string;
  /** Whether the run did what it was asked for. */
  readonly good: boolean;
  readonly headline: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Whether it will change again at once, so that reading it aloud would not keep up. */
  readonly passing: boolean;
}

/** `name` begins the ids of its elements. */
export function showResult(name: string, { status, good, headline, facts, passing }: Result): void {
  const root = byId(`${name}-result`);
  root.setAttribute('aria-live', passing ? 'off' : 'polite');
  root.dataset.status = status;
  root.classList.toggle('good', good);
  const line = byId(`${name}-headline`);
  if (line.textContent !== headline) line.textContent = headline;
  byId(`${name}-facts`).replaceChildren(
    ...facts.map(([term, value]) => {
      const fact = html('div');
      fact.append(html('dt', '', term), html('dd', '', value));
      return fact;
    }),
  );
}

/** What computes: wasm (simd128), or js and why. */
export function backendText(): string {
  return backend.simd === 'none' ? backend.name : `${backend.name}, ${backend.simd}`;
}
