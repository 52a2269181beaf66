import type { Checkpoint } from '../../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../../contract/errors.js';
import type { RunStarted } from '../../../contract/runs/run-started.js';
import type { CarriedLog } from '../../../log/pack.js';
import { replayedProgram, runReplayed } from '../replayed-program.js';
import { unfit, type ReadEntries } from './read-entries.js';
import { typeOf } from './recorded-answer.js';
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
    `NonDeterminismError at position ${entry.position}: recorded is that it waits for ${entry.type}, the procedure now comes to ${found}`,
    {
      position: String(entry.position),
      expected: { position: String(entry.position), type: entry.type, name: null },
      found: first === undefined ? null : { position: first.position, type: first.type, name: first.name },
      ...(file === null ? {} : { file, line }),
    },
  );
}
