import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';

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
