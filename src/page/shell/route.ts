/** What of the page is shown. */
export type Route =
  | { page: 'inbox' }
  | { page: 'request'; id: string }
  | { page: 'runs' }
  | { page: 'run'; id: string }
  | { page: 'dead-letters' }
  | { page: 'unknown' };

/** Ids may hold slashes: they are one part of the path, encoded. */
export function readRoute(pathname: string): Route {
  const parts = pathname.split('/').filter((part) => part !== '');
  const [first, second, ...others] = parts;
  if (first === undefined) return { page: 'inbox' };
  if (first === 'dead-letters' && second === undefined) return { page: 'dead-letters' };
  if (others.length > 0 || (first !== 'requests' && first !== 'runs')) return { page: 'unknown' };
  if (second === undefined) return first === 'runs' ? { page: 'runs' } : { page: 'inbox' };
  const id = decoded(second);
  if (id === null) return { page: 'unknown' };
  return first === 'requests' ? { page: 'request', id } : { page: 'run', id };
}

export function requestPath(id: string): string {
  return `/requests/${encodeURIComponent(id)}`;
}

export function runPath(id: string): string {
  return `/runs/${encodeURIComponent(id)}`;
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
