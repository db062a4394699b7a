/** Light and dark: the system's choice, until a button says otherwise. */
import { byId } from './dom.js';

export function startTheme(onChange: () => void): void {
  const root = document.documentElement;
  const button = byId('theme');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches);
  const name = () => button.setAttribute('aria-label', isDark() ? 'Switch to light colours' : 'Switch to dark colours');
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    name();
    onChange();
  });
  dark.addEventListener('change', () => {
    name();
    onChange();
  });
  name();
}
