/** The value below which so much of a sample lies (0 to 1), by nearest rank. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? NaN;
}

/** `p50 / p99` in ms, as a table has it. */
export function asQuantiles(values: readonly number[]): string {
  return [0.5, 0.99].map((part) => quantile(values, part).toFixed(values.length === 0 ? 0 : 1)).join(' / ');
}
