/** The options of a fit, as the page's controls have them. */
import type { Loss, SvmMethod } from 'fista-classify';
import { byId } from '../dom.js';
import { brief } from '../numbers.js';
import type { Rule, Settings } from './training.js';

export class SettingsForm {
  readonly #method = byId<HTMLSelectElement>('method');
  readonly #loss = byId<HTMLSelectElement>('loss');
  readonly #rule = byId<HTMLSelectElement>('rule');
  readonly #multiclass = byId<HTMLSelectElement>('multiclass');
  readonly #isDefault = byId<HTMLInputElement>('gamma-default');
  readonly #gamma = byId<HTMLInputElement>('gamma');
  readonly #share = byId<HTMLInputElement>('share');
  readonly #gap = byId<HTMLInputElement>('gap');

  constructor(onChange: () => void) {
    const controls = [this.#method, this.#loss, this.#rule, this.#multiclass, this.#isDefault, this.#gamma, this.#share, this.#gap];
    for (const control of controls) {
      control.addEventListener('input', () => {
        if (control === this.#gamma) this.#isDefault.checked = false;
        this.#show();
        onChange();
      });
    }
    this.#show();
  }

  get settings(): Settings {
    return {
      method: this.#method.value as SvmMethod,
      loss: this.#loss.value as Loss,
      gamma: this.#isDefault.checked ? undefined : 10 ** Number(this.#gamma.value),
      rule: this.#rule.value as Rule,
      share: Number(this.#share.value) / 100,
      gap: 10 ** Number(this.#gap.value),
      multiclass: this.#multiclass.value as Settings['multiclass'],
    };
  }

  /** Says what was used where the default was asked for. */
  used(gamma: number | undefined, classes: number): void {
    if (gamma !== undefined && this.#isDefault.checked) {
      byId('gamma-value').textContent = brief(gamma);
      this.#gamma.value = String(Math.log10(gamma));
    }
    this.#multiclass.disabled = classes < 3;
  }

  /** The squared hinge goes with neither the paper's method nor its rule. */
  #show(): void {
    const { rule, share, gap, gamma } = this.settings;
    const isPaper = this.#method.value === 'paper' || rule === 'stale';
    if (isPaper) this.#loss.value = 'hinge';
    this.#loss.disabled = isPaper;
    byId('share-row').hidden = rule !== 'agreement';
    byId('gap-row').hidden = rule !== 'gap';
    byId('share-value').textContent = `${Math.round(share * 100)} %`;
    byId('gap-value').textContent = brief(gap);
    if (gamma !== undefined) byId('gamma-value').textContent = brief(gamma);
  }
}
