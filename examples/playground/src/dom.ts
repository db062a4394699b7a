/** Elements of the page. Texts of users become text nodes, never markup. */

const SVG = 'http://www.w3.org/2000/svg';

/** The element of the page with this id. */
export function byId<E extends Element = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element #${id}`);
  return found as unknown as E;
}

export type Attributes = Readonly<Record<string, string | number>>;

/** Sets attributes, but touches none that has its value already. */
export function set<E extends Element>(element: E, attributes: Attributes): E {
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  parent?: Element,
): SVGElementTagNameMap[K] {
  const element = set(document.createElementNS(SVG, name), attributes);
  parent?.append(element);
  return element;
}

export function html<K extends keyof HTMLElementTagNameMap>(name: K, className = '', text = ''): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

/** The options of a select, each with its text. */
export function fillSelect(select: HTMLSelectElement, options: readonly (readonly [value: string, text: string])[]): void {
  select.replaceChildren(
    ...options.map(([value, text]) => {
      const option = html('option', '', text);
      option.value = value;
      return option;
    }),
  );
}

/** Whether a key belongs to the element where it was typed, and not to the page. Of what can be pressed, Space is. */
export function takesKeys({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  const pressed = key === ' ' && target.closest('button, input, summary, a');
  return Boolean(pressed || target.closest('input:not([type=checkbox]), select, textarea, dialog'));
}
