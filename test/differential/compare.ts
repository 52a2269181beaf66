import type { Ran } from './ran.js';

/** Where two runs of a program don't agree: in a statement, by its number, or in how the program ended (null). */
export interface Difference {
  statement: number | null;
  ours: string;
  theirs: string;
}

export function differences(ours: Ran, theirs: Ran): Difference[] {
  const [here, there] = [byStatement(ours), byStatement(theirs)];
  const found: Difference[] = [];
  for (const statement of new Set([null, ...here.keys(), ...there.keys()])) {
    const [mine, its] = [here.get(statement) ?? 'nothing', there.get(statement) ?? 'nothing'];
    // Errors of the Python functions that stand in the reference's libraries are userdata in Lua.
    if (mine !== its && !its.includes('userdata') && !its.includes('<python>'))
      found.push({ statement, ours: mine, theirs: its });
  }
  return found;
}

/** What each statement printed, up to the line with its result. */
function byStatement({ printed, error }: Ran): Map<number | null, string> {
  const statements = new Map<number | null, string>();
  let lines: string[] = [];
  for (const line of printed.map(withoutAddresses)) {
    const result = /^(\d+) ((?:returns|raises) .*)$/s.exec(line);
    lines.push(result?.[2] ?? line);
    if (result === null) continue;
    statements.set(Number(result[1]), lines.join('\n'));
    lines = [];
  }
  if (error !== null) lines.push(`ended: ${withoutAddresses(error)}`);
  if (lines.length > 0) statements.set(null, lines.join('\n'));
  return statements;
}

/** Addresses mean nothing, nor does the sign of a NaN, which depends on the processor. */
function withoutAddresses(line: string): string {
  return line
    .replace(/ *(table|function|thread|userdata): (builtin: )?(0x)?[0-9a-f]+ */g, '$1: 0x')
    .replace(/-nan\b/g, 'nan');
}
