import type { ChangePlan } from '../../contract/changes/plan.js';
import { mostRecorded, withChange, type ChangeRecord } from '../../contract/changes/run-change.js';
import { assertNoTrial } from '../../contract/changes/trial.js';
import { isWithin, type Checkpoint, type Position } from '../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import { sourceHash, type ProcedureSource } from '../../contract/procedures/source.js';
import type { Carry, HandedWork, RunStarted, StartInput } from '../../contract/runs/start-input.js';
import { unpackLog } from '../../log/pack.js';
import { carriedStart, handWork, oldestCarried, type CarriedStart } from '../runs/carried-start.js';
import { readHanded } from '../runs/exact-log.js';
import { describeRun } from '../runs/view-run.js';
import type { TactusRun } from '../tactus-run.js';
import { planChange, type PlannedChange } from './change-plan.js';

/** The log of a run, and what of it another one goes on with. */
export interface LogParts {
  log: Checkpoint[];
  kept: Checkpoint[];
}

/** How another run goes on. */
export interface Way {
  source: ProcedureSource | undefined;
  runId: string;
  summary: string;
  /** What people have done later stays behind, in ms since 1970; left out: nothing does. */
  before?: number;
  /** Positions of what the run waits for, and goes on to wait for where it is asked for again; left out: nothing of it goes along. */
  open?: readonly Position[];
  /** Positions of what failed, and is tried again, and of what was done because of that. */
  failed?: readonly Position[];
  /** It is a child run, and goes on with the run that waits for it. Left out: nobody waits for it any more. */
  isWithParent?: boolean | undefined;
}

/** What is proved of a run that goes another way, and what it would be started with. */
export interface GoneOn extends LogParts {
  runId: string;
  summary: string;
  /** What it begins with, but for its log. */
  started: RunStarted;
  /** The source that the run had. */
  before: RunStarted;
  plan: ChangePlan;
  proof: PlannedChange['proof'];
  /** What people have done for the run; null: its worker is too old to tell. */
  work: HandedWork | null;
  /** What of it goes along, and what stays behind: a line for people each. */
  handed: Partial<Carry>;
  leftBehind: string[];
  /** What came about later stays behind, in ms since 1970; left out: nothing does. */
  until: number | undefined;
  /** Id of the run that had started it; left out: nobody had, or it is another run. */
  parent: string | undefined;
}

/**
 * Plans that a run goes on with what is kept of its log: whether its procedure fits is for `assertConsent`. Nothing is started.
 * @throws TactusError payload_too_large; usage where the run is a trial
 */
export async function goOnFrom(
  run: TactusRun,
  { log, kept: wanted }: LogParts,
  { source, runId, summary, before: until, open, failed, isWithParent = false }: Way,
): Promise<GoneOn> {
  const from = run.runId;
  assertNoTrial(from);
  const before = await run.started();
  const { parent, ...alone } = before.start;
  const same = isWithParent ? before.start : alone;
  const started = {
    ...before,
    engine: Math.max(before.engine, oldestCarried),
    start: source === undefined ? same : { ...unpublished(same), source },
  };
  const work = await readHanded(run);
  const requests = work?.requests ?? [];
  const change = await planChange({
    from: { runId: from, started: before, log, requests },
    to: { runId, started, kept: wanted },
    ...{ isGivenUp: true, failed },
    ...(open === undefined ? {} : { open, mayAskAnew: true }),
  });
  const { kept, plan, proof } = change;
  const { carry = {}, leftBehind = [olderWorker] } =
    work === null
      ? {}
      : handWork(work, {
          ...{ from, to: runId, ...defined({ before: until }) },
          // What was signed for a run holds for it.
          isSigned: runId !== from && started.start.settings?.signedDecisions === true,
        });
  // The passes before were its own where the id stays, and so were the parts that snapshots stand for.
  const isCompacted = runId === from && kept.some(({ snapshot }) => snapshot !== undefined);
  const earlier = isCompacted ? (await run.status()).pass?.execution : undefined;
  const own = runId === from ? defined({ pass: before.pass, earlier }) : {};
  const { status, closeTime } = await describeRun(run);
  const endedAt = status.name === 'CONTINUED_AS_NEW' ? undefined : closeTime?.getTime();
  const handed = { ...carry, ...own, ...defined({ endedAt }) };
  return {
    ...{ runId, summary, started, before, log, kept, plan, proof },
    ...{ work, handed, leftBehind, until, parent: runId === from ? parent?.runId : undefined },
  };
}

/** What it is started with. @param carry what else goes along @throws TactusError payload_too_large */
export function carriedFrom(
  { runId, started, kept, summary, handed, parent }: GoneOn,
  carry: Partial<Carry> = {},
): CarriedStart {
  const carried = carriedStart(runId, started, { entries: kept }, summary, { ...handed, ...carry });
  return { ...carried, ...defined({ parent }) };
}

/** What whoever asked is told of a run that goes another way. */
export interface Told {
  /** How many checkpoints it begins with. */
  checkpoints: number;
  plan: ChangePlan;
  /** What people have done that the new run goes on without, a line each. */
  leftBehind: string[];
}

export function told({ kept, plan, leftBehind }: GoneOn): Told {
  return { checkpoints: kept.length, plan, leftBehind };
}

/** With another source it is no run of the version that it began with. */
function unpublished({ published: _, ...start }: StartInput): StartInput {
  return start;
}

const olderWorker =
  "votes, times, events and what was said to agents: the run's worker is too old to tell of them";

/** When what the checkpoint was made by was asked for, in ms since 1970: what came about later goes the old way. */
export function beganAt(log: readonly Checkpoint[], at: Position): number {
  const inside = log.filter(({ position }) => isWithin(position, at));
  return Math.min(...inside.map(({ at: ended, durationMs }) => ended - durationMs));
}

/** @throws TactusError payload_too_large */
export async function logOf(run: TactusRun): Promise<Checkpoint[]> {
  const packed = await run.packedCheckpoints();
  if (packed.length === 0)
    throw new TactusError(
      'payload_too_large',
      `The log of ${run.runId} is too large to be given to another run`,
    );
  return unpackLog(packed);
}

/** What stays with the run of the change, but for its moment and the execution that had the run before. */
export function plannedRecord(
  { runId, plan, before, started }: GoneOn,
  change: Pick<ChangeRecord, 'kind' | 'position' | 'run' | 'anew'>,
  by = '',
): Omit<ChangeRecord, 'at' | 'execution'> {
  const { kept, changed, again, requests } = plan;
  const counts: ChangeRecord['again'] = {};
  for (const { effect } of again) counts[effect] = (counts[effect] ?? 0) + 1;
  const repeats = again.filter(({ repeats }) => repeats).map(({ position }) => position);
  const from = change.run ?? runId;
  const positionIn = (id: string): Position => id.slice(from.length + 1);
  const moved = requests.filter(({ becomes }) => becomes !== 'kept');
  return {
    ...change,
    by: by === '' ? null : by,
    from: hashOf(before),
    to: hashOf(started),
    ...{ kept, changed: changed.slice(0, mostRecorded), again: counts },
    ...(repeats.length === 0 ? {} : { repeats: repeats.slice(0, mostRecorded) }),
    open: Object.fromEntries(
      moved.slice(0, mostRecorded).map(({ id, becomes }) => [positionIn(id), becomes]),
    ),
  };
}

/** All changes of a run that goes on under its id, or with another one's log. */
export async function changesWith(
  run: TactusRun,
  planned: GoneOn,
  change: Pick<ChangeRecord, 'kind' | 'position' | 'run' | 'anew'>,
  by?: string,
): Promise<ChangeRecord[]> {
  const [{ changes = [] }, { runId: execution }] = await Promise.all([run.status(), describeRun(run)]);
  const record = { ...plannedRecord(planned, change, by), at: new Date().toISOString(), execution };
  return withChange(changes, record);
}

function hashOf({ start: { source } }: RunStarted): string {
  return source === undefined ? '' : `sha256:${sourceHash(source)}`;
}
