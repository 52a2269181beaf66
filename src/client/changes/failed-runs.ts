import type { ChangePlan } from '../../contract/changes/plan.js';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import { digestOf } from '../../contract/effects/digest.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import { sourceHash } from '../../contract/procedures/source.js';
import type { RunStatus } from '../../contract/runs/run-view.js';
import { eachLimit } from '../concurrency.js';
import { readFork, type ForkOptions } from '../runs/read-fork.js';
import { isOutOfReach } from '../runs/run-errors.js';
import { describeRun, endOf, parentOf, unbounded, type Asking } from '../runs/view-run.js';
import type { TactusClient } from '../tactus-client.js';
import type { TactusRun } from '../tactus-run.js';
import { assertConsent, type Consent } from './change-plan.js';
import { atOnce, inParts, runPages } from './many-runs.js';
import { readRetry, type RetryOptions } from './retry.js';
import { rewindRun, type RewindOptions } from './rewind.js';

/** Runs that have failed, or taken too long. One that somebody terminated is tried again by its id alone. */
export interface FailedRuns {
  /** Left out: of all procedures. */
  procedure?: string | undefined;
  /** Started then or later; ISO 8601, UTC. Left out: whenever. */
  since?: string | undefined;
}

/** What became of a run that had failed; an item of `retry --failed --json`, `rewind --failed --json` and `fork --failed --json`. */
export interface ChangedRun {
  run_id: string;
  /** `repeats`: what may be done once only would be done a second time, and nobody has agreed to that. */
  verdict: 'fits' | 'repeats' | 'diverges' | 'failed';
  /** It goes on, or the run that was forked from it does. */
  moved: boolean;
  /** The checkpoint that it goes on from; null: none has failed, or it isn't known. */
  at: Position | null;
  /** Why it doesn't go on; null where it does, or is only planned. */
  message: string | null;
  /** The run that goes its own way from there; left out where it isn't forked. */
  forked?: string;
  /** null where it could not be made. */
  plan: ChangePlan | null;
}

export interface ManyRuns {
  /** So many runs go on at most; with `dryRun`, so many that would are looked for. Left out: all. */
  limit?: number | undefined;
  /** Told of each run when it is known what has become of it. */
  onChanged?: ((run: ChangedRun) => void) | undefined;
  /** Called when some runs are planned, before they go on. */
  beforeMoves?: (() => Promise<void>) | undefined;
  /** How runs are asked for what their plans need; left out: without a time limit of its own. */
  ask?: Asking['ask'] | undefined;
}

/** Runs whose plans are made before they go on: their logs are kept until then. */
const partSize = 200;

/**
 * Tries all runs again that have failed, the newest start first: each with its plan first, and left alone where that needs a consent
 * that isn't given. A run that goes on is found no more, so the same call again does what is left.
 * @throws TactusError no_worker, server_unreachable; what else goes wrong with a run is told of it
 */
export function retryRuns(
  tactus: Pick<TactusClient, 'attach' | 'client' | 'list' | 'startFork'>,
  which: FailedRuns,
  { limit, onChanged, beforeMoves, ask, ...options }: RetryOptions & ManyRuns = {},
): Promise<ChangedRun[]> {
  return changeFailed(tactus, which, options, { limit, onChanged, beforeMoves, ask }, async (id) => {
    const run = tactus.attach(id);
    if (await isChangedWithParent(tactus, run, which)) return null;
    const retry = await readRetry(run, { ...options, dryRun: true });
    return { ...retry, move: () => tactus.startFork(retry) };
  });
}

/**
 * Makes all runs that have failed go back to a checkpoint, as `retryRuns` tries them again.
 * @throws TactusError as `retryRuns`
 */
export function rewindRuns(
  tactus: Pick<TactusClient, 'attach' | 'client' | 'list' | 'startFork'>,
  which: FailedRuns,
  { limit, onChanged, ask, ...options }: Omit<RewindOptions, 'ask'> & Omit<ManyRuns, 'beforeMoves'>,
): Promise<ChangedRun[]> {
  return changeFailed(tactus, which, options, { limit, onChanged, ask }, async (id) => {
    const run = tactus.attach(id);
    if (await isChangedWithParent(tactus, run, which)) return null;
    const { plan } = await rewindRun(tactus, run, { ...options, dryRun: true });
    return { at: options.at, plan, move: () => rewindRun(tactus, run, { ...options, ...defined({ ask }) }) };
  });
}

/**
 * Starts another run for each that has failed, with its log up to a checkpoint. Its id follows from what it is made of, so the same call again
 * forks no run twice.
 * @throws TactusError as `retryRuns`
 */
export function forkRuns(
  tactus: Pick<TactusClient, 'attach' | 'client' | 'list' | 'startFork'>,
  which: FailedRuns,
  { limit, onChanged, beforeMoves, ask, ...options }: Omit<ForkOptions, 'runId'> & ManyRuns,
): Promise<ChangedRun[]> {
  const { at, set = null, source } = options;
  return changeFailed(tactus, which, options, { limit, onChanged, beforeMoves, ask }, async (id) => {
    const run = tactus.attach(id);
    const { runId: execution } = await describeRun(run);
    const made = digestOf({ execution, at, set, source: source === undefined ? null : sourceHash(source) });
    const forked = `${id}-${made.slice(-8)}`;
    if (await isThere(tactus.attach(forked))) return null;
    const fork = await readFork(run, { ...options, runId: forked, dryRun: true });
    return { at, forked, plan: fork.plan, move: () => tactus.startFork(fork) };
  });
}

/** A child run goes on, or is started anew, with the run that has started it, where that has failed and is one of those that are changed. */
async function isChangedWithParent(
  tactus: Pick<TactusClient, 'attach'>,
  run: TactusRun,
  { procedure, since = '' }: FailedRuns,
): Promise<boolean> {
  const parent = parentOf(await describeRun(run));
  if (parent === null) return false;
  try {
    const { status, memo, startTime } = await describeRun(tactus.attach(parent));
    const isMeant = procedure === undefined || memo?.['procedure'] === procedure;
    return isMeant && hasFailed(status.name) && startTime.toISOString() >= since;
  } catch (error) {
    if (!hasCode(error, 'run_not_found')) throw error;
    return false;
  }
}

async function isThere(run: TactusRun): Promise<boolean> {
  try {
    await describeRun(run);
    return true;
  } catch (error) {
    if (!hasCode(error, 'run_not_found')) throw error;
    return false;
  }
}

/** A run that has failed, as it would go on. */
interface Planned {
  at: Position | null;
  forked?: string;
  plan: ChangePlan;
  move: () => Promise<unknown>;
}

async function changeFailed(
  tactus: Pick<TactusClient, 'attach' | 'client' | 'list' | 'startFork'>,
  which: FailedRuns,
  consent: Consent,
  { limit = Infinity, onChanged, beforeMoves, ask = unbounded.ask }: ManyRuns,
  /** null: there is nothing to be done with this one. */
  planOf: (id: string) => Promise<Planned | null>,
): Promise<ChangedRun[]> {
  const changed: ChangedRun[] = [];
  let counted = 0;
  const tell = (run: ChangedRun): void => {
    changed.push(run);
    if (consent.dryRun === true ? isFit(run) : run.moved) counted++;
    onChanged?.(run);
  };
  await inParts(
    runPages(tactus, { ...which, status: failed }),
    partSize,
    () => limit - counted,
    async (ids) => {
      const ready: { run: ChangedRun; move: () => Promise<unknown> }[] = [];
      await eachLimit(ids, atOnce, async (id) => {
        try {
          // The list may lag behind: what goes on meanwhile is none of them.
          if (!hasFailed((await describeRun(tactus.attach(id))).status.name)) return;
          const planned = await ask(() => planOf(id), false);
          if (planned === null) return;
          const { at, forked, plan, move } = planned;
          const run = {
            run_id: id,
            moved: false,
            at,
            plan,
            ...defined({ forked }),
            ...judged(plan, consent),
          };
          if (consent.dryRun === true || !isFit(run)) tell(run);
          else ready.push({ run, move });
        } catch (error) {
          tell(untold(id, error));
        }
      });
      if (ready.length === 0) return;
      await beforeMoves?.();
      await eachLimit(ready, atOnce, async ({ run, move }) => {
        try {
          await move();
          tell({ ...run, moved: true });
        } catch (error) {
          tell({ ...run, ...untold(run.run_id, error), plan: run.plan });
        }
      });
    },
  );
  return changed;
}

const failed: ReadonlySet<RunStatus> = new Set(['failed', 'timed_out']);

function hasFailed(status: string): boolean {
  return failed.has(endOf(status) ?? 'running');
}

function isFit({ verdict, message }: ChangedRun): boolean {
  return verdict === 'fits' && message === null;
}

function judged(plan: ChangePlan, consent: Consent): Pick<ChangedRun, 'verdict' | 'message'> {
  try {
    assertConsent({ plan }, { ...consent, dryRun: false });
    return { verdict: 'fits', message: null };
  } catch (error) {
    return refusal(error, plan);
  }
}

function refusal(error: unknown, plan: ChangePlan): Pick<ChangedRun, 'verdict' | 'message'> {
  if (!(error instanceof TactusError)) throw error;
  const { message } = error;
  if (hasCode(error, 'non_determinism')) return { verdict: 'diverges', message };
  if (!hasCode(error, 'change_refused')) return { verdict: 'failed', message };
  return { verdict: plan.again.some(({ repeats }) => repeats) ? 'repeats' : 'fits', message };
}

/** A run that can't be asked keeps nobody from the others. @throws what is wrong with all of them */
function untold(runId: string, error: unknown): ChangedRun {
  if (!(error instanceof TactusError) || isOutOfReach(error)) throw error;
  return { run_id: runId, verdict: 'failed', moved: false, at: null, message: error.message, plan: null };
}
