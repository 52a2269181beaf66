import { setTimeout as pause } from 'node:timers/promises';
import type { ChangePlan } from '../../contract/changes/plan.js';
import {
  lastingWaits,
  unacceptedChanges,
  unacceptedMessage,
  type ChangeVerdict,
  type RunChange,
  type Terms,
} from '../../contract/changes/run-change.js';
import { changesOf } from '../../contract/engine.js';
import { assertNoTrial } from '../../contract/changes/trial.js';
import { hasCode, TactusError, type NamedCheckpoint } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import { updateNames } from '../../contract/names.js';
import { sourceHash, type ProcedureSource } from '../../contract/procedures/source.js';
import { eachLimit } from '../concurrency.js';
import { readHanded } from '../runs/exact-log.js';
import { sendUpdate } from '../runs/messages.js';
import { logOf } from './go-on.js';
import { isOutOfReach } from '../runs/run-errors.js';
import { describeRun, unbounded, type Asking } from '../runs/view-run.js';
import type { TactusClient } from '../tactus-client.js';
import type { TactusRun } from '../tactus-run.js';
import { planChange } from './change-plan.js';
import { atOnce, inParts, runPages } from './many-runs.js';

export interface UpgradeOptions extends Terms {
  /** The plan alone is wanted: nothing is sent to the run. */
  dryRun?: boolean;
  /** Who asks for it, for the run's record; left out: nobody is named. */
  by?: string;
  /** How runs are asked for what the plan needs; left out: without a time limit of its own. */
  ask?: Asking['ask'];
}

/** What became of a run that was to go on with another source; an item of `upgrade --json`. */
export interface UpgradedRun {
  run_id: string;
  verdict: 'fits' | 'diverges' | 'ended' | 'failed';
  /** It goes on with the new source. */
  moved: boolean;
  /** Of the divergence, as `plan.diverges` has it. */
  position: string | null;
  file: string | null;
  line: number | null;
  expected: NamedCheckpoint | null;
  found: NamedCheckpoint | NamedCheckpoint[] | null;
  /** Why it wasn't moved; null where it was, or is only planned. */
  message: string | null;
  /** null where it could not be made. */
  plan: ChangePlan | null;
}

export interface UpgradeManyOptions extends UpgradeOptions {
  /** So many runs are moved at most; with `dryRun`, so many that fit are looked for. Left out: all. */
  limit?: number;
  /** Told of each run when it is known what has become of it. */
  onUpgraded?: (run: UpgradedRun) => void;
}

/** Runs that are named before it is looked how many have been moved. */
const partSize = 500;

/** Open runs of a procedure. */
export interface OpenRunsOf {
  procedure: string;
  /** Only runs that began with one of these published versions; left out: all. */
  versions?: ReadonlySet<number>;
}

/** How many open runs there are at `most`, in the list of the client, which may lag a moment behind. */
export async function countOpenRuns(
  tactus: Pick<TactusClient, 'list'>,
  which: OpenRunsOf,
  most: number,
): Promise<number> {
  let count = 0;
  for await (const ids of runPages(tactus, { ...which, isOpen: true })) {
    count += ids.length;
    if (count >= most) return most;
  }
  return count;
}

/**
 * The same for many runs: those of these ids, or all open ones of a procedure. What is cut off goes on where it is called again: a
 * run that has the source already is left alone.
 * @throws TactusError no_worker, server_unreachable; what else goes wrong with a run is told of it
 */
export async function upgradeRuns(
  tactus: Pick<TactusClient, 'attach' | 'list'>,
  which: readonly string[] | OpenRunsOf,
  source: ProcedureSource,
  { limit = Infinity, onUpgraded, ...options }: UpgradeManyOptions = {},
): Promise<UpgradedRun[]> {
  const upgraded: UpgradedRun[] = [];
  let counted = 0;
  const one = async (id: string): Promise<void> => {
    const run = await upgradeOrTell(tactus.attach(id), source, options);
    upgraded.push(run);
    if (options.dryRun === true ? run.verdict === 'fits' && run.message === null : run.moved) counted++;
    onUpgraded?.(run);
  };
  const pages = 'procedure' in which ? runPages(tactus, { ...which, isOpen: true }) : [[...which]];
  await inParts(
    pages,
    partSize,
    () => limit - counted,
    (ids) => eachLimit(ids, atOnce, one),
  );
  return upgraded;
}

/** A run that can't be asked keeps nobody from the others. */
async function upgradeOrTell(
  run: TactusRun,
  source: ProcedureSource,
  options: UpgradeOptions,
): Promise<UpgradedRun> {
  try {
    return await upgradeRun(run, source, options);
  } catch (error) {
    if (!(error instanceof TactusError) || isOutOfReach(error)) throw error;
    return unmoved(run.runId, 'failed', error.message);
  }
}

/**
 * Makes a run that is under way go on with another source, where that fits all that the run has recorded and waits for: proved here,
 * and in the run once more at the moment of moving. A run that it doesn't fit stays as it was.
 * @throws TactusError run_not_found; payload_too_large where its log can't be read; usage where it is a trial
 */
export async function upgradeRun(
  run: TactusRun,
  source: ProcedureSource,
  { dryRun = false, by, ask = unbounded.ask, ...terms }: UpgradeOptions = {},
): Promise<UpgradedRun> {
  assertNoTrial(run.runId);
  const { status } = await describeRun(run);
  if (status.name !== 'RUNNING') return ended(run.runId);
  const planned = await ask(() => planUpgrade(run, source, terms), true);
  if (planned.verdict !== 'fits' || planned.message !== null || dryRun) return planned;
  return moveRun(run, { ...terms, ...defined({ by }), source }, planned);
}

async function planUpgrade(run: TactusRun, source: ProcedureSource, terms: Terms): Promise<UpgradedRun> {
  const { runId } = run;
  const started = await run.started();
  const { engine, start } = started;
  if (start.source !== undefined && sourceHash(start.source) === sourceHash(source))
    return { ...unmoved(runId, 'fits', 'it has this source already'), plan: null };
  if (!changesOf(engine)('upgrades'))
    return unmoved(
      runId,
      'failed',
      `it runs on engine ${engine}, which takes no other source: it moves to a newer one when it continues as new`,
    );
  const { waits } = await run.status();
  const log = await logOf(run);
  const work = await readHanded(run);
  const { plan, proof } = await planChange({
    from: { runId, started, log, requests: work?.requests ?? [] },
    to: { runId, started: { ...started, start: { ...start, source } }, kept: log },
    open: waits.filter(({ kind }) => lastingWaits.has(kind)).map(({ position }) => position),
    children: waits.flatMap(({ position, runs = [] }) =>
      runs.includes(`${runId}/${position}`) ? [position] : [],
    ),
    mayAskAnew: terms.mayAskAnew,
  });
  if (proof?.verdict === 'diverges') return { ...diverged(runId, plan), plan };
  if (plan.fails !== null) return { ...unmoved(runId, 'failed', plan.fails.message), plan };
  const unaccepted = unacceptedChanges(plan.changed, terms);
  const message = unaccepted.length === 0 ? null : unacceptedMessage(unaccepted);
  return { ...unmoved(runId, 'fits', message), plan };
}

/** Between two attempts at a run that has just continued as new, in ms. */
const pauseMs = 50;
const mostAttempts = 20;

async function moveRun(run: TactusRun, change: RunChange, planned: UpgradedRun): Promise<UpgradedRun> {
  for (let attempt = 1; ; attempt++) {
    const verdict = await sendChange(run, change);
    if (verdict === null || verdict.verdict === 'ended') return { ...ended(run.runId), plan: planned.plan };
    if (verdict.verdict === 'busy' && attempt < mostAttempts) {
      await pause(pauseMs * attempt);
      continue;
    }
    return answered(planned, verdict);
  }
}

/** null: the run has ended. */
async function sendChange({ handle, runId }: TactusRun, change: RunChange): Promise<ChangeVerdict | null> {
  try {
    const sent = await sendUpdate(runId, () =>
      handle.executeUpdate<ChangeVerdict, [RunChange]>(updateNames.upgrade, { args: [change] }),
    );
    return 'refusal' in sent ? { ...refused, message: sent.refusal } : sent.answer;
  } catch (error) {
    if (hasCode(error, 'run_not_found')) return null;
    throw error;
  }
}

const refused: ChangeVerdict = {
  ...{ verdict: 'failed', moved: false, message: null },
  ...{ kept: 0, diverges: null, failed: null, changed: [], open: {} },
};

/** What the run said, with the plan as far as it still holds: it may have gone on since that was made. */
function answered(planned: UpgradedRun, { verdict, moved, message, ...said }: ChangeVerdict): UpgradedRun {
  const { run_id: id, plan: before } = planned;
  const { kept, diverges, failed: fails, changed } = said;
  const plan = before === null ? null : { ...before, kept, diverges, fails, ...(moved ? {} : { changed }) };
  if (diverges !== null && plan !== null) return { ...diverged(id, plan), plan };
  const known = verdict === 'busy' || verdict === 'ended' ? 'failed' : verdict;
  return { ...unmoved(id, known, message), moved, plan };
}

function diverged(runId: string, { diverges }: ChangePlan): UpgradedRun {
  const { message = null, ...where } = diverges ?? {};
  return { ...unmoved(runId, 'diverges', message), ...where };
}

function ended(runId: string): UpgradedRun {
  return unmoved(runId, 'ended', 'it has ended');
}

function unmoved(runId: string, verdict: UpgradedRun['verdict'], message: string | null): UpgradedRun {
  return {
    ...{ run_id: runId, verdict, moved: false, message },
    ...{ position: null, file: null, line: null, expected: null, found: null, plan: null },
  };
}
