import { useShortcuts } from './use-shortcuts.js';

/** j and k go from one link of a list to the next. */
export function useRowKeys(selector: string): void {
  const move = (by: 1 | -1): void => {
    const links = [...document.querySelectorAll<HTMLElement>(selector)];
    const at = links.findIndex((link) => link === document.activeElement);
    const to = at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by));
    links[to]?.focus();
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
}
