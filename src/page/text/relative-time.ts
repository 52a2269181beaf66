const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;
const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** `in 3 days`, `5 minutes ago`; both in ms since 1970. */
export function relativeTime(at: number, now: number): string {
  const ms = at - now;
  const unit = units.find(([, length]) => Math.abs(ms) >= length);
  if (unit === undefined) return 'just now';
  return words.format(Math.trunc(ms / unit[1]), unit[0]);
}

/** `1.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const parts: string[] = [];
  let rest = Math.round(ms / 1_000);
  for (const [name, length] of [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.slice(0, 2).join(' ');
}
