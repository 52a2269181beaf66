/** Where a client finds what is open, and how a run stands. Ids have slashes and more: they are one part of the address. */
export const requestTemplate = 'tactus://requests/{id}';
export const runTemplate = 'tactus://runs/{id}';

export function requestUri(id: string): string {
  return `tactus://requests/${encodeURIComponent(id)}`;
}

export function runUri(id: string): string {
  return `tactus://runs/${encodeURIComponent(id)}`;
}
