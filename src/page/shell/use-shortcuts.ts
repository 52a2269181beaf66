import { useEffect, useRef } from 'preact/hooks';

const offKey = 'tactus-no-shortcuts';

export function areShortcutsOn(): boolean {
  return localStorage.getItem(offKey) === null;
}

export function setShortcuts(isOn: boolean): void {
  if (isOn) localStorage.removeItem(offKey);
  else localStorage.setItem(offKey, 'yes');
}

/** Single keys that do something, unless somebody is typing or has turned them off. */
export function useShortcuts(keys: Readonly<Record<string, () => void>>): void {
  const newest = useRef(keys);
  newest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || !areShortcutsOn() || document.querySelector('dialog[open]') !== null)
        return;
      const action = Object.hasOwn(newest.current, event.key) ? newest.current[event.key] : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('input:not([type=radio]):not([type=checkbox]), textarea, select'))
  );
}
