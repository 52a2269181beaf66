/** A time as records have it: ISO 8601 with `+00:00`, as Python 3.10 can't read the `Z` that JavaScript writes. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00');
}
