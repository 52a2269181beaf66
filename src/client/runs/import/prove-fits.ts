import type { Checkpoint } from '../../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../../contract/errors.js';
import type { ProcedureSource } from '../../../contract/procedures/source.js';
import type { CarriedAnswer } from '../../../contract/runs/carried-answers.js';
import type { RunStarted } from '../../../contract/runs/start-input.js';
import type { CarriedLog } from '../../../log/pack.js';
import { replayedProgram, runReplayed } from '../replayed-program.js';
import { placeOf, typeOf, unfit, type ReadEntries } from './recorded-entries.js';
import type { RecordedEntry } from './reference-record.js';

/** What the run asks for when it goes on. */
export interface AskedFirst {
  position: string;
  type: string;
  name: string;
  file: string | null;
  line: number | null;
}

export interface Proof {
  /** What the run asks for first; empty where it has nothing left to do. */
  asked: AskedFirst[];
  /** How many entries stand behind that: they are compared when the run comes to them. */
  left: number;
}

/** With what the log came to. */
export interface Proved extends Proof {
  entries: readonly Checkpoint[];
}

/**
 * Runs the procedure here with what is recorded, up to where it asks for something that isn't. Nothing is performed.
 * @throws TactusError non_determinism where it doesn't fit; what the procedure then fails with, where answers are left
 */
export async function proveFits(runId: string, started: RunStarted, carried: CarriedLog): Promise<Proved> {
  const program = await replayedProgram(runId, started, carried);
  if (program === null) throw new Error('what is imported has its source');
  const turn = runReplayed(program);
  const left = program.answersLeft?.answers.length ?? 0;
  // A run that had failed fails again, and has all that it had.
  if (turn.kind === 'failed' && (turn.error.code === 'non_determinism' || carried.answers !== undefined))
    throw turn.error;
  const asked = turn.kind === 'blocked' ? program.pending : [];
  return {
    asked: asked.map(({ position, type, name, source }) => ({
      ...{ position, type, name },
      ...(source ?? { file: null, line: null }),
    })),
    left,
    entries: program.log.entries,
  };
}

/**
 * What a record waits for must be what the procedure comes to, unless there is something before it that isn't recorded.
 * @throws TactusError non_determinism
 */
export function assertAwaited(
  { entry, isHolding }: Exclude<ReadEntries['waiting'], null>,
  [first]: readonly AskedFirst[],
): void {
  if (first !== undefined && !isRecorded(first.type)) return;
  if (isHolding) assertWaitsInside(entry, first);
  else if (first?.type !== entry.type) throw otherWait(entry, first);
}

/** The call of a model is part of a turn, or of a prediction. */
function isRecorded(type: string): boolean {
  return type === 'model_call' || typeOf(type) !== null;
}

/** What an entry held that had not ended is lost but for that it waited: it is run again, and must come to that first. */
function assertWaitsInside(entry: RecordedEntry, first: AskedFirst | undefined): void {
  if (first === undefined || !first.position.includes('.') || first.type.startsWith('hitl_')) return;
  const name = entry.place?.function ?? entry.type;
  throw unfit(
    entry,
    `${name} had not ended, and asks for ${first.type} '${first.name}' before it waits: the record doesn't hold that`,
  );
}

function otherWait(entry: RecordedEntry, first: AskedFirst | undefined): TactusError {
  const { position, type, name, file = null, line = null } = first ?? {};
  const found = first === undefined ? 'its end' : `${type} '${name}' at ${position}`;
  return new TactusError(
    'non_determinism',
    `NonDeterminismError at position ${entry.position}: the record waits for ${entry.type} here, and the procedure comes to ${found}`,
    {
      position: String(entry.position),
      expected: { position: String(entry.position), type: entry.type, name: null },
      found: first === undefined ? null : { position: first.position, type: first.type, name: first.name },
      ...(file === null ? {} : { file, line }),
    },
  );
}

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
      `position ${entry.position} (${entry.type}): the source around line ${at.line} differs from the recorded one. ` +
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
