import { TactusError } from '../../contract/errors.js';

/** A flag's number of things, one or more. @throws TactusError usage */
export function readCount(text: string, flag: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new TactusError('usage', `${flag} takes a positive integer, not ${text}`);
  return count;
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `90s`, `15m`, `2h`, `30d` in ms; a number alone is seconds. @throws TactusError usage */
export function readDuration(text: string, what: string): number {
  const [, digits, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
  if (digits === undefined)
    throw new TactusError(
      'usage',
      `${what} must be a duration such as 90s, 15m, 2h or 30d, not ${JSON.stringify(text)}`,
    );
  return Number(digits) * units[unit as keyof typeof units];
}
