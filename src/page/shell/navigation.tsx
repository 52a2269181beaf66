import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { visibleLine } from '../text/visible-text.js';

const moved = 'tactus:moved';

/** Goes to another place of the page without loading it anew. */
export function goTo(path: string): void {
  history.pushState(null, '', path);
  window.scrollTo(0, 0);
  window.dispatchEvent(new Event(moved));
}

/** Changes what the address says of the place that is shown: filters, which are no places of their own. */
export function replaceQuery(query: URLSearchParams): void {
  const text = query.toString();
  history.replaceState(null, '', `${location.pathname}${text === '' ? '' : `?${text}`}`);
}

/** The path that is shown. */
export function usePath(): string {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    const update = (): void => setPath(location.pathname);
    window.addEventListener('popstate', update);
    window.addEventListener(moved, update);
    return () => {
      window.removeEventListener('popstate', update);
      window.removeEventListener(moved, update);
    };
  }, []);
  return path;
}

interface LinkProps {
  to: string;
  class?: string;
  isCurrent?: boolean;
  children: ComponentChildren;
}

/** A link within the page. Whoever wants it in a tab of its own gets it there. */
export function Link({ to, class: className, isCurrent = false, children }: LinkProps): VNode {
  return (
    <a
      href={to}
      class={className}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => {
        if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        goTo(to);
      }}
    >
      {children}
    </a>
  );
}

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
