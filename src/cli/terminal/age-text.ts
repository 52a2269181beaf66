const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** `3 h ago`, by the largest unit that fits; times in ms since 1970. */
export function ageText(since: number, now: number): string {
  const age = Math.max(0, now - since);
  const [size, name] = units.find(([each]) => age >= each) ?? [1_000, 's'];
  return `${Math.floor(age / size)} ${name} ago`;
}
