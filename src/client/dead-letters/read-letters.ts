import { WorkflowNotFoundError, type WorkflowExecutionDescription } from '@temporalio/client';
import { attemptsIn, intentLetterId, type DeadLetter } from '../../contract/dead-letters/dead-letter.js';
import type { LetterRecord } from '../../contract/dead-letters/letter-order.js';
import { isWithin, type Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { definitions } from '../../contract/effects/all.generated.js';
import { effectTypes } from '../../contract/effects/effects.js';
import { digestOf } from '../../contract/effects/digest.js';
import { TactusError } from '../../contract/errors.js';
import type { Intent } from '../../contract/graphs/super-step.js';
import { isOver, type RunStatus } from '../../contract/runs/run-view.js';
import { nameOfStart } from '../../contract/procedures/source.js';
import { eachLimit } from '../concurrency.js';
import { readEntry, recordedIntents, type RecordedIntent } from '../../contract/graphs/recorded-intents.js';
import { readCheckpoints } from '../runs/exact-log.js';
import { describeRun, endOf, firstExecutionOf, unbounded, type Asking } from '../runs/view-run.js';
import type { TactusRun } from '../tactus-run.js';
import { recordOf } from './letter-records.js';

/** Calls that may give up, by the type of their entries: what an activity or another run does. Intents have letters of their own. */
const callTypes: ReadonlySet<string> = new Set(
  definitions.flatMap(({ kind, types, wait }) =>
    kind !== 'intent' && (wait === 'activity' || wait === 'child') ? [...types] : [],
  ),
);

/** So many records are asked for at once. */
const atOnce = 8;

/** What requeue and drop need of a letter beside what is shown. */
export interface FoundLetter {
  letter: DeadLetter;
  /** The first execution of its run. */
  execution: string;
  taskQueue: string;
  /** What is sent; null of a call. */
  intent: Intent | null;
  /** Id of the run that goes on in its place, or would. */
  forkId: string;
}

/**
 * Reads the dead letters of a run from its log: the call that it failed by, and intents that nobody sends any more.
 * @throws TactusError run_not_found; why the run doesn't answer
 */
export async function readLetters(run: TactusRun, asking: Asking = unbounded): Promise<FoundLetter[]> {
  const description = await asking.look(() => describeRun(run));
  const status = endOf(description.status.name) ?? 'running';
  const isOpen = !isOver(status);
  const { entries } = await asking.ask(() => readCheckpoints(run), isOpen);
  const call = status === 'failed' ? failedCall(entries, await errorOf(run)) : null;
  const hasIntents = entries.some(({ type }) => type === 'super_step');
  if (call === null && !hasIntents) return [];
  const { start, pass } = await asking.ask(() => run.started(), isOpen);
  // What a snapshot or an earlier pass stands for is read there.
  const isPart = pass !== undefined || entries.some(({ snapshot }) => snapshot !== undefined);
  const recorded = !hasIntents
    ? []
    : recordedIntents(
        isPart
          ? (await asking.ask(() => run.log({ all: true }), isOpen)).execution_log
          : entries.map(readEntry),
      );
  const unsent = recorded.filter((each) => isUnsent(each, isOpen));
  const { showContent } = start.settings ?? {};
  const procedure = nameOfStart(start);
  const about = { ...{ run, description, status, procedure }, isShown: showContent !== false };
  const found = [
    ...(call === null ? [] : [callLetter(call, about)]),
    ...unsent.flatMap((each) => intentLetter(each, about) ?? []),
  ];
  await eachLimit(found, atOnce, (each) => asking.look(() => settle(run, each)));
  return found;
}

function isUnsent({ view: { status } }: RecordedIntent, isOpen: boolean): boolean {
  return status === 'failed' || (status === 'waiting' && !isOpen);
}

async function errorOf(run: TactusRun): Promise<TactusError | null> {
  try {
    await run.result();
    return null;
  } catch (error) {
    return error instanceof TactusError ? error : null;
  }
}

/**
 * The call that a run failed by: the last one that failed with what the run failed with, or else the last one that failed, if nothing
 * was done after it. What a procedure has handled is no dead letter.
 */
function failedCall(
  entries: readonly Checkpoint[],
  error: Pick<TactusError, 'code' | 'message'> | null,
): Checkpoint | null {
  if (error === null) return null;
  const failed = entries.filter(({ type, outcome }) => !outcome.ok && callTypes.has(type));
  const same = failed.findLast(
    ({ outcome }) => !outcome.ok && outcome.code === error.code && error.message.includes(outcome.message),
  );
  if (same !== undefined) return same;
  const last = failed.at(-1);
  if (last === undefined) return null;
  const later = entries.slice(entries.indexOf(last) + 1);
  const goesOn = ({ type, outcome, position }: Checkpoint): boolean =>
    outcome.ok && effectTypes.has(type) && !isWithin(last.position, position);
  return later.some(goesOn) ? null : last;
}

interface About {
  run: TactusRun;
  description: WorkflowExecutionDescription;
  status: RunStatus;
  procedure: string;
  /** Whether names and what is sent may be shown. */
  isShown: boolean;
}

function common({ run: { runId }, status, procedure }: About) {
  return {
    state: 'dead',
    run_id: runId,
    procedure,
    run_status: status,
    requeued_as: null,
    dropped: null,
  } as const;
}

function of(
  id: string,
  { run: { runId }, description }: About,
): Pick<FoundLetter, 'execution' | 'taskQueue' | 'forkId'> {
  return {
    execution: firstExecutionOf(description),
    taskQueue: description.taskQueue,
    forkId: `${runId}-requeued-${digestOf([id, description.runId]).slice(0, 8)}`,
  };
}

function callLetter({ position, type, name, outcome, at, source }: Checkpoint, about: About): FoundLetter {
  const id = `${about.run.runId}/${position}`;
  const error = outcome.ok ? null : { code: outcome.code, message: outcome.message };
  const letter: DeadLetter = {
    ...{ id, kind: 'call', ...common(about), position, type, key: null, payload: null, error, source },
    name: about.isShown ? name : type,
    attempts: attemptsIn(error?.message ?? ''),
    failed_at: new Date(at).toISOString(),
  };
  return { letter, intent: null, ...of(id, about) };
}

/** Null where it belongs to the run from whose log this one goes on. */
function intentLetter({ view, intent, position, at }: RecordedIntent, about: About): FoundLetter | null {
  const { key, type, error, attempts } = view;
  const id = intentLetterId(about.run.runId, key);
  if (id === null) return null;
  const letter: DeadLetter = {
    ...{ id, kind: 'intent', ...common(about), position, type: 'intent', key, attempts, source: null },
    name: type,
    payload: about.isShown ? view.payload : null,
    error: error === undefined ? null : { code: 'delivery_failed', message: error },
    failed_at: at,
  };
  return { letter, intent, ...of(id, about) };
}

/** What was ordered for it by now. */
async function settle(run: TactusRun, found: FoundLetter): Promise<void> {
  const { letter, execution, forkId } = found;
  const record = await recordOf(run.handle.client, letter.id, execution);
  if (record !== null) settleBy(letter, record);
  if (letter.kind === 'call' && (await isThere(run, forkId))) {
    Object.assign(letter, { state: 'requeued', requeued_as: forkId });
  }
}

/** Shows what became of an order. */
function settleBy(letter: DeadLetter, { action, by, at, reason, tried, outcome }: LetterRecord): void {
  letter.attempts += tried + (outcome?.attempts ?? 0);
  if (action === 'drop') {
    Object.assign(letter, { state: 'dropped', dropped: { by, at, reason } });
    return;
  }
  letter.state = outcome === null ? 'requeued' : outcome.status === 'sent' ? 'sent' : 'dead';
  if (outcome?.status === 'failed') letter.error = { code: 'delivery_failed', message: outcome.message };
}

async function isThere({ handle: { client } }: TactusRun, id: string): Promise<boolean> {
  try {
    await client.getHandle(id).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
