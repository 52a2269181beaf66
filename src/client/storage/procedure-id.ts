import { TactusError } from '../../contract/errors.js';

/** @throws TactusError usage of what is no id: no text at all, or half a character */
export function checkProcedureId(procedureId: string): void {
  if (procedureId === '' || !isWellFormed(procedureId))
    throw new TactusError('usage', `${JSON.stringify(procedureId)} is not a procedure id`);
}

/** The order of ids: that of their characters, which is that of their bytes in UTF-8 and so that of databases. */
export function compareIds(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) {
    const [a, b] = [one.charCodeAt(i), other.charCodeAt(i)];
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

/** Halves of pairs stand for characters behind all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit;
}

/** Whether a text has whole characters alone: no other can be kept. */
export function isWellFormed(text: string): boolean {
  return Buffer.from(text).toString() === text;
}

/** The first text behind all that begin so; null where there is none. */
export function behind(prefix: string): string | null {
  const characters = [...prefix];
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const next = (last.codePointAt(0) ?? 0) + 1;
    // Halves of pairs are no characters.
    if (next <= 0x10_ffff) return characters.join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next);
  }
  return null;
}
