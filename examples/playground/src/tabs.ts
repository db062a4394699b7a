/** Tabs: the arrow keys go from one to the next, as the ARIA Authoring Practices have it. */
import { byId } from './dom.js';

/** `onShow` is told the number of the tab. */
export function startTabs(names: readonly string[], onShow: (tab: number) => void): void {
  const tabs = names.map((name) => byId<HTMLButtonElement>(`tab-${name}`));
  const panels = names.map((name) => byId(`panel-${name}`));
  const show = (chosen: number) => {
    tabs.forEach((tab, k) => {
      tab.setAttribute('aria-selected', String(k === chosen));
      tab.tabIndex = k === chosen ? 0 : -1;
      panels[k]!.hidden = k !== chosen;
    });
    onShow(chosen);
  };
  tabs.forEach((tab, k) => {
    tab.addEventListener('click', () => show(k));
    tab.addEventListener('keydown', ({ key }) => {
      const by = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      if (!by) return;
      const next = (k + by + tabs.length) % tabs.length;
      show(next);
      tabs[next]!.focus();
    });
  });
  show(0);
}
