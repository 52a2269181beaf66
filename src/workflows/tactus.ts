import {
  ApplicationFailure,
  continueAsNew,
  ContinueAsNew,
  defineQuery,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Checkpoint, Outcome } from '../contract/checkpoint.js';
import { TactusError } from '../contract/errors.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import { queryNames } from '../contract/names.js';
import type { LogPage, RunView } from '../contract/run-view.js';
import type { HumanRequest } from '../contract/human-request.js';
import type { Observed } from '../contract/scenario.js';
import type { Shown } from '../contract/printed.js';
import type { RunSettings } from '../contract/run-settings.js';
import type { ProcedureSource } from '../contract/source.js';
import { limitsOf, newCarry, readStartInput, type Carry, type StartInput } from '../contract/start-input.js';
import { Children, reportToParent } from './children.js';
import { localActivities } from './effects/activities.js';
import type { EffectContext } from './effects/context.js';
import { Gate } from './gate.js';
import { Inbox } from './inbox.js';
import { packLog, unpackLog } from './pack.js';
import { Run } from './run.js';
import {
  logPage,
  packedCheckpoints,
  packedLog,
  pendingView,
  runView,
  shownPage,
  type RunFacts,
} from './views.js';

const statusQuery = defineQuery<RunView>(queryNames.status);
const logQuery = defineQuery<LogPage, [number?]>(queryNames.log);
const packedLogQuery = defineQuery<Uint8Array>(queryNames.packedLog);
const packedCheckpointsQuery = defineQuery<Uint8Array>(queryNames.packedCheckpoints);
const stateQuery = defineQuery<JsonObject>(queryNames.state);
const pendingQuery = defineQuery<{ pending: HumanRequest[] }>(queryNames.pending);
const observedQuery = defineQuery<Observed | null>(queryNames.observed);
const shownQuery = defineQuery<{ shown: Shown[]; next: number }, [number?]>(queryNames.output);

/**
 * Runs one Tactus procedure. Its result is the procedure's output; whatever goes wrong in the procedure fails the
 * run, with one of our codes as the failure's type, and never the workflow task.
 */
export async function tactus(given: unknown, packed?: unknown): Promise<JsonValue> {
  try {
    return await start(given, packed);
  } catch (error) {
    if (error instanceof ContinueAsNew || isCancellation(error) || error instanceof ApplicationFailure)
      throw error;
    throw toFailure(error);
  }
}

async function start(given: unknown, packed: unknown): Promise<JsonValue> {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const input = readStartInput(given);
  const carry: Carry = input.carry ?? newCarry(workflowId, firstExecutionRunId, Date.now());
  const log: Checkpoint[] = packed === undefined ? [] : unpackLog(packed);
  let run: Run | null = null;
  const inbox = new Inbox(
    carry.ledger,
    (position) => run !== null && run.program.log.find(position) !== null,
    () => run?.show(),
    () => run?.hasNews === true,
  );
  const gate = new Gate();
  const children = new Children(workflowId, new Set(carry.children), { ...carry.childOutcomes }, gate);
  const facts = (): RunFacts => run?.facts() ?? notYet(workflowId, input, carry);
  setHandler(statusQuery, () => runView(facts()));
  setHandler(logQuery, (from = 0) => logPage(facts(), from));
  setHandler(packedLogQuery, () => packedLog(facts()));
  setHandler(packedCheckpointsQuery, () => packedCheckpoints(facts()));
  setHandler(stateQuery, () => facts().state);
  setHandler(pendingQuery, () => ({ pending: pendingView(facts()) }));
  setHandler(observedQuery, () => run?.program.observed ?? null);
  setHandler(shownQuery, (from = 0) => shownPage(facts(), from));

  const { source, settings } = await findSource(input);
  const start = { ...input, source, ...(settings === undefined ? {} : { settings }) };
  const context: EffectContext = {
    runId: workflowId,
    firstExecutionId: carry.firstExecutionId,
    source,
    start,
    limits: limitsOf(start),
    inbox,
    children,
    gate,
    deadlines: new Map(Object.entries(carry.deadlines)),
    usage: carry.usage,
  };
  run = new Run(context, carry, log);
  return await finish(run, start, context);
}

async function finish(run: Run, input: StartInput, context: EffectContext): Promise<JsonValue> {
  try {
    const ending = await run.execute();
    if (ending.kind === 'continue')
      return await continueAsNew<typeof tactus>({ ...input, carry: ending.carry }, packLog(ending.log));
    // Branches that were given up at the very end have told nobody.
    await context.children.cancelAll();
    await lastReport(input, context, { ok: true, value: ending.output });
    return ending.output;
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    await run.abandon();
    if (isCancellation(error)) {
      run.close('cancelled', null, null);
      await lastReport(input, context, {
        ok: false,
        code: 'cancelled',
        message: `${context.runId} was cancelled`,
      });
      throw error;
    }
    const failed = toTactusError(error);
    run.close('failed', null, failed);
    await lastReport(input, context, { ok: false, code: failed.code, message: failed.message });
    throw toFailure(failed);
  }
}

/** The last that a run does. */
async function lastReport(
  { parent, mock }: StartInput,
  { children }: EffectContext,
  outcome: Outcome,
): Promise<void> {
  // A server that skips time for tests stands still for good where a child ends after its parent.
  if ((mock?.people ?? null) !== null) await children.allClosed();
  await reportToParent(parent, outcome);
}

/** The source that travels with the run, or, once, what the worker's folder has under the name. */
async function findSource({ source, procedure = '', settings }: StartInput): Promise<FoundSource> {
  if (source !== undefined) return { source, settings };
  const { settings: configured, ...loaded } = await localActivities.loadProcedure({ procedure });
  return { source: loaded, settings: { ...configured, ...settings } };
}

interface FoundSource {
  source: ProcedureSource;
  settings: RunSettings | undefined;
}

function notYet(runId: string, input: StartInput, carry: Carry): RunFacts {
  return {
    runId,
    procedure: input.procedure ?? input.source?.entry ?? '',
    ending: null,
    pending: carry.ledger.open,
    waits: [],
    children: carry.children.map((position) => `${runId}/${position}`),
    log: [],
    ended: 0,
    usage: carry.usage,
    shown: [],
    state: {},
    startedAt: carry.startedAt,
  };
}

/** What is none of our errors is a fault of ours, and still must not block the run for ever. */
function toTactusError(error: unknown): TactusError {
  if (error instanceof TactusError) return error;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new TactusError('internal', `A fault of tactus-temporal, please report it: ${text}`);
}

function toFailure(error: unknown): ApplicationFailure {
  const { code, message, details } = toTactusError(error);
  return ApplicationFailure.nonRetryable(message, code, details);
}
