import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  currentUpdateInfo,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  makeContinueAsNewFunc,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { TactusError } from '../../contract/errors.js';
import { signalNames, updateNames } from '../../contract/names.js';
import {
  nothingPublished,
  readPublishedChange,
  withChange,
  type PublishedChange,
} from '../../contract/procedures/publish-change.js';
import {
  publishedMemo,
  publishedView,
  publishedWorkflowId,
  type PublishedProcedure,
  type PublishedRecord,
} from '../../contract/procedures/published.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';

/** What the workflow of a name is started with, and hands to itself. */
interface PublishedState {
  name: string;
  /** Left out: nothing is published yet. */
  record?: PublishedRecord;
  /** Ids of the last orders: one that is sent again in the next execution is done already. */
  done?: string[];
}

const changeUpdate = defineUpdate<PublishedProcedure, [PublishedChange]>(updateNames.publish);
const keepSignal = defineSignal(signalNames.keepSource);

/** Orders of one execution: the server takes 2,000 Updates in all. */
const mostOrders = 200;
const rememberedOrders = 20;
/** A source that no version was made of by then has lost its publisher. */
const unkeptMs = 3_600_000;

/**
 * Keeps the versions of one published procedure. Which there are, and which share of the starts each takes, stands in its memo, and each
 * source in the start of a workflow of its own: both are read without a worker, at every start of a run.
 *
 * Owns: the record of the name. Invariants:
 *  1. Orders are done one after the other, each once, and whole: the memo changes in the task that answers the order.
 *  2. A version stands in the memo when the workflow of its source is there for good, and no number is given twice.
 */
export async function tactusPublished(given: unknown): Promise<void> {
  const { name, record, done = [] } = readState(given);
  let kept = record ?? nothingPublished(name);
  let remembered = done;
  let last: Promise<unknown> = Promise.resolve();
  let orders = 0;

  const perform = async (change: PublishedChange, id: string): Promise<PublishedProcedure> => {
    if (remembered.includes(id)) return publishedView(kept);
    const before = sourcesOf(kept);
    try {
      kept = await changed(kept, change);
      remembered = [...remembered, id].slice(-rememberedOrders);
      upsertMemo({ [publishedMemo]: kept });
    } finally {
      const after = sourcesOf(kept);
      const given = change.kind === 'publish' ? [change.source] : [];
      for (const source of new Set([...before, ...given])) if (!after.includes(source)) void drop(source);
    }
    return publishedView(kept);
  };
  const answer = (change: PublishedChange): Promise<PublishedProcedure> => {
    orders++;
    const id = currentUpdateInfo()?.id ?? '';
    const order = last.then(() => perform(readPublishedChange(change), id)).catch(fail);
    last = order.catch(() => undefined);
    return order;
  };
  setHandler(changeUpdate, answer, { validator: refuse });
  try {
    await condition(
      () => (orders >= mostOrders || workflowInfo().continueAsNewSuggested) && allHandlersFinished(),
    );
  } catch (error) {
    // Whoever cancels it takes the name back, and folders of workers have it again.
    await CancellationScope.nonCancellable(() => Promise.all(sourcesOf(kept).map(drop)));
    throw error;
  }
  const goOn = makeContinueAsNewFunc<typeof tactusPublished>({ memo: { [publishedMemo]: kept } });
  const next: PublishedState = { name, record: kept, done: remembered };
  await goOn(next);
}

/** @throws ApplicationFailure: what anybody may start it with must not fail its task again and again */
function readState(given: unknown): PublishedState {
  const state = (given ?? {}) as Partial<PublishedState>;
  const { name } = state;
  if (name !== undefined && workflowInfo().workflowId === publishedWorkflowId(name))
    return { ...state, name };
  throw ApplicationFailure.nonRetryable('Its id must be that of the name that it is started with', 'usage');
}

/**
 * Keeps the source of a version: whoever starts a run reads it from the start of this workflow. It ends when it is cancelled, or when no
 * version is made of it.
 */
export async function tactusPublishedSource(_source: ProcedureSource): Promise<void> {
  let isKept = false;
  setHandler(keepSignal, () => void (isKept = true));
  if (await condition(() => isKept, unkeptMs)) await CancellationScope.current().cancelRequested;
}

/** Refuses what is no order, from whatever client, with nothing in history. */
function refuse(given: unknown): void {
  try {
    readPublishedChange(given);
  } catch (error) {
    fail(error);
  }
}

/** @throws ApplicationFailure for what an order is refused with; anything else is a fault in this code */
function fail(error: unknown): never {
  if (!(error instanceof TactusError)) throw error;
  throw ApplicationFailure.nonRetryable(error.message, error.code, error.details);
}

async function changed(record: PublishedRecord, change: PublishedChange): Promise<PublishedRecord> {
  const next = withChange(record, change, new Date().toISOString());
  if (change.kind === 'publish' && next.latest > record.latest) await keepSource(change.source);
  return next;
}

async function keepSource(source: string): Promise<void> {
  try {
    await getExternalWorkflowHandle(source).signal(keepSignal);
  } catch {
    throw new TactusError('source_not_found', 'The source is gone before it was published: publish it again');
  }
}

function sourcesOf({ versions }: PublishedRecord): string[] {
  return versions.map(({ source }) => source);
}

/** Runs that have begun with it have its source in their own histories. */
async function drop(source: string): Promise<void> {
  await getExternalWorkflowHandle(source)
    .cancel()
    .catch(() => undefined);
}
