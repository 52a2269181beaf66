import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { visibleLine } from '../text/visible-text.js';

/** What a place is called. It gets the focus when the place is there, so that who hears the page is told where they are. */
export function Heading({ children }: { children: ComponentChildren }): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** What the tab is called. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${visibleLine(title.slice(0, 120))} · Tactus`;
  }, [title]);
}
