import { setImmediate as breathe } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { ProofResult } from '../../contract/changes/proof.js';
import type { WaitingChange } from '../../contract/changes/run-change.js';
import type { Checkpoint, Position } from '../../contract/checkpoints/checkpoint.js';
import type { Spent } from '../../contract/models/model-call.js';
import { TactusError } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import { queryNames } from '../../contract/names.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { CarriedAnswers } from '../../contract/runs/carried-answers.js';
import type { RunStarted } from '../../contract/runs/start-input.js';
import { readCheckpoints } from '../runs/exact-log.js';
import { queryRun } from '../runs/messages.js';
import { programOf } from '../runs/replayed-program.js';
import type { TactusRun } from '../tactus-run.js';

/** How a run began, and what of its log it goes on with. */
export interface ProvedRun {
  runId: string;
  started: RunStarted;
  log: readonly Checkpoint[];
}

export interface ProveOptions {
  /** The run as it was recorded. */
  from: ProvedRun;
  /** The same run, or another one, as it is to go on. */
  to: ProvedRun;
  /** Positions of what is open in the run, and goes on in it. */
  open: readonly Position[];
  mayAskAnew?: boolean | undefined;
  /** Nobody waits any more for what the run has asked for without an answer. */
  isGivenUp?: boolean | undefined;
  /** Positions of what failed, and is tried again, and of what was done because of that. */
  failed?: readonly Position[] | undefined;
  /** Recorded elsewhere, and not asked for yet. */
  answers?: CarriedAnswers | undefined;
  /** What was used for others, and hasn't been counted yet. */
  spent?: Spent[] | undefined;
}

/** Runs both sources by the log, here; null: the worker has yet to find the new one. Nothing is performed. */
export async function prove(options: ProveOptions): Promise<ProofResult | null> {
  const { from, to, open, mayAskAnew, isGivenUp, failed, answers, spent } = options;
  const [before, after] = [from, to].map(({ started }) => started.start.source);
  if (after === undefined) return null;
  const { Proof } = await import('../../lua-bridge/index.js');
  const optionsOf = async ({ runId, started, log: carried }: ProvedRun, source: ProcedureSource) => ({
    ...(await programOf(runId, started, source)),
    ...{ carried, answers, ...defined({ spent }) },
  });
  const proof = new Proof({
    log: from.log,
    before: before === undefined ? null : await optionsOf(from, before),
    after: await optionsOf(to, after),
    ...{ open, mayAskAnew, isGivenUp, failed },
  });
  return toItsEnd(proof);
}

/** Lets other work of the process have its turn between slices of Lua. */
export async function toItsEnd<T>(work: { advance(): T | null }): Promise<T> {
  for (;;) {
    const result = work.advance();
    if (result !== null) return result;
    await breathe();
  }
}

/**
 * Proves the change that a run waits with.
 * @throws TactusError payload_too_large; what else an unanswered question throws
 */
export async function proveWaiting(run: TactusRun): Promise<ProofResult> {
  const { runId } = run;
  const packed = await queryRun<Uint8Array>(run.handle, queryNames.change);
  if (packed.length === 0)
    throw new TactusError('payload_too_large', `The change of ${runId} is too large to be read from the run`);
  const { change, gone = [], spent, open } = JSON.parse(gunzipSync(packed).toString()) as WaitingChange;
  const started = await run.started();
  const { entries, answers } = await readCheckpoints(run);
  const lost = new Set(gone);
  const log = entries.filter(({ position }) => !lost.has(position));
  const { source, mayAskAnew } = change;
  const result = await prove({
    from: { runId, started, log },
    to: { runId, started: { ...started, start: { ...started.start, source } }, log },
    ...{ open, mayAskAnew, answers, spent },
  });
  if (result === null) throw new TypeError('a change has a source');
  return result;
}
