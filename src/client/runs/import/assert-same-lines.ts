import type { CarriedAnswer } from '../../../contract/runs/carried-answers.js';
import type { Checkpoint } from '../../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../../contract/errors.js';
import type { ProcedureSource } from '../../../contract/procedures/source.js';
import { placeOf } from './recorded-answer.js';
import type { RecordedEntry } from './reference-record.js';

/** Lines before and after the one of an entry that the reference keeps with it. */
const around = 3;

/**
 * Refuses another source than the one that was recorded: answers have no digest, so those to one question could be taken for
 * those to another. The reference keeps the lines round some entries; those must be the same.
 * @throws TactusError non_determinism with both
 */
export function assertSameLines(entries: readonly RecordedEntry[], { files }: ProcedureSource): void {
  for (const entry of entries) {
    const at = placeOf(entry);
    const context = entry.place?.context ?? null;
    if (at === null || context === null) continue;
    const name = Object.keys(files).find((each) => lastOf(each) === lastOf(at.file));
    if (name === undefined) continue;
    const lines = linesOf(files[name] ?? '');
    const found = lines.slice(Math.max(0, at.line - around - 1), at.line + around).join('');
    const expected = linesOf(context).join('');
    if (found === expected) continue;
    throw new TactusError(
      'non_determinism',
      `position ${entry.position} (${entry.type}): the source round line ${at.line} is not the one that was recorded. ` +
        `Then:\n${expected}\nNow:\n${found}`,
      { position: String(entry.position), expected, found, file: name, line: at.line },
    );
  }
}

/**
 * Refuses answers that were asked for in other lines: one is missing before them. Where the reference has put lines of its own
 * before the source, as it does with scripts, all of them are so much further down.
 * @param entries what they have come to, in their order, and what came after
 * @throws TactusError non_determinism with both lines
 */
export function assertSamePlaces(
  answers: readonly CarriedAnswer[],
  entries: readonly Checkpoint[],
  files: ProcedureSource['files'] = {},
): void {
  const types = new Set(answers.map(({ type }) => type));
  const come = entries.filter(({ type }) => types.has(type));
  let offset: number | null = null;
  for (const [i, { position, type, name, source }] of answers.entries()) {
    const found = come[i]?.source ?? null;
    if (source === null || found === null || lastOf(source.file) !== lastOf(found.file)) continue;
    if (isReturned(name ?? 'checkpoint', linesOf(files[found.file] ?? '')[found.line - 1] ?? '')) continue;
    offset ??= source.line - found.line;
    if (source.line - found.line === offset) continue;
    throw new TactusError(
      'non_determinism',
      `position ${position} (${type}) was asked for in line ${source.line - offset}, and is now in line ${found.line}: an entry is missing before it, or the source is another one`,
      { position, expected: source.line - offset, found: found.line, ...found },
    );
  }
}

/** A call that is returned leaves no line of its own: the reference names that of whoever called before. */
function isReturned(name: string, line: string): boolean {
  return [...line.matchAll(/\breturn\s+([\w.]+)/g)].some(
    ([, called = '']) => called.split('.').pop() === name,
  );
}

function lastOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** As Python reads them: each with its end, which is always a line feed. */
function linesOf(text: string): string[] {
  return text.replaceAll(/\r\n?/g, '\n').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
