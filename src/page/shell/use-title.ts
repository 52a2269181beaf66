import { useEffect } from 'preact/hooks';
import { visibleLine } from '../text/visible-text.js';

/** What the tab is called. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${visibleLine(title.slice(0, 120))} · Tactus`;
  }, [title]);
}
