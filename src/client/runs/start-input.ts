import { WorkflowNotFoundError, type Client, type WorkflowClient } from '@temporalio/client';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { assertLimits, type Limits } from '../../contract/runs/limits.js';
import type { PauseRequest, StartPause } from '../../contract/changes/pause.js';
import type { MockPlan } from '../../contract/mocks/mock-plan.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import { assertLabels, type Labels } from '../../contract/runs/labels.js';
import { isMessageId, readStartInput } from '../../contract/runs/read-start-input.js';
import type { KnownAttributes, StartInput } from '../../contract/runs/start-input.js';
import { defined, canonicalJson, type JsonValue } from '../../contract/json/json.js';
import type { PublishedAs } from '../../contract/procedures/published.js';
import { nameOfStart, sourceHash, type ProcedureSource } from '../../contract/procedures/source.js';
import { workflowType } from '../../contract/names.js';
import { TactusError } from '../../contract/errors.js';
import { lastArgument } from '../../contract/text/shell-word.js';
import type { TraceContext } from '../../contract/traces/trace-context.js';
import type { RunPriority } from './priority.js';

export interface StartOptions {
  /** Id of the run; a run of that id that is open is attached to instead of started again. Left out: a new one. */
  runId?: string;
  /** Whether a run of that id that has closed is followed by a new one. Left out: it is attached to, as an open one is. */
  followsClosed?: boolean;
  /** The task of the procedure's file to run; left out: what the file runs by itself. */
  task?: string;
  limits?: Partial<Limits>;
  /** Where the procedure's file lies below the worker's directory of files, for `tactus.io`; left out: in it. */
  folder?: string;
  /** Time that the whole run may take, such as `30d`; left out: no limit. */
  timeout?: string;
  /** What configuration says of the run and of those that it starts; left out: nothing. */
  settings?: RunSettings;
  /** The version that the source is of a published procedure; left out: of none. */
  published?: PublishedAs;
  /** Who starts it, for the run's memo (`started_by`); left out: nobody is named. */
  startedBy?: string;
  /**
   * Id of the message that begins a turn of a graph's thread (`runId`), of 1 to 200 characters: the thread takes each in once. Left out:
   * the same input again is no turn.
   */
  messageId?: string;
  /** By which the run is found, at most 20; its child runs have them, too. Left out: none. */
  labels?: Labels;
  /** Whose tasks go first where workers have more to do than they can; left out: none is before another. */
  priority?: RunPriority;
  /** The trace that the run is part of, as W3C's headers have it; left out: one of its own. */
  trace?: TraceContext;
  /** The run begins paused, to be looked at first; left out: it doesn't. */
  paused?: PauseRequest;
  /** What the run answers itself instead of asking the outside, for tests; left out: nothing. */
  mock?: MockPlan;
}

/** What a client gives to each run that it starts. */
export interface StartsWith {
  limits: Partial<Limits> | undefined;
  searchAttributes: KnownAttributes;
}

/**
 * The workflow's argument. The source stands last: pages show the beginning.
 * @param paused what it begins paused by; left out: what the options say
 * @throws TactusError input_invalid where a limit is one that no worker can keep; usage where an id of a message or a label is none
 */
export function startInputOf(
  source: ProcedureSource,
  input: JsonValue,
  options: StartOptions,
  client: StartsWith,
  paused: StartPause | undefined = options.paused,
): StartInput {
  const { task, folder, settings, mock, messageId, published, labels } = options;
  if (messageId !== undefined && !isMessageId(messageId))
    throw new TactusError('usage', 'The id of a message is a text of 1 to 200 characters');
  if (labels !== undefined) assertLabels(labels);
  const limits = (options.limits ?? client.limits) ? { ...client.limits, ...options.limits } : undefined;
  assertLimits(limits);
  return {
    input,
    ...defined({ task, folder, messageId, limits, settings, mock, published, paused, labels }),
    ...(client.searchAttributes === false ? {} : { searchAttributes: client.searchAttributes }),
    source,
  };
}

/** What the server is asked through: that of a handle does, too. */
type AnyClient = Client | WorkflowClient;

/**
 * What a run was started with, as its history has it; null where there is no run of this id.
 * @throws TactusError run_conflict where the id belongs to a workflow that is no run of ours
 */
export async function startOfRun(client: AnyClient, runId: string): Promise<StartInput | null> {
  const started = await startedEvent(client, runId);
  if (started === null) return null;
  if (started.workflowType?.name !== workflowType)
    throw new TactusError(
      'run_conflict',
      `The id ${runId} belongs to a workflow of the type ${started.workflowType?.name ?? 'unknown'}`,
    );
  return readStartInput(await argumentOf(client, started));
}

/** What the newest execution of a workflow was started with; null where the server has none, or no longer. No worker is asked. */
export async function firstArgument(client: Client, workflowId: string): Promise<unknown> {
  const started = await startedEvent(client, workflowId);
  return started === null ? null : argumentOf(client, started);
}

function argumentOf(client: AnyClient, { input }: StartedEvent): Promise<unknown> {
  return decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, input?.payloads);
}

/**
 * Refuses to take a run for another one that has its id.
 * @throws TactusError run_conflict saying what differs
 */
export function assertSameStart(runId: string, started: StartInput, given: GivenStart): void {
  const what = differenceOf(started, given);
  if (what === null) return;
  throw new TactusError(
    'run_conflict',
    `There is a run ${runId} already, with ${what}. Choose another id, or go on with that run: tactus-temporal resume ${lastArgument(runId)}`,
    { run_id: runId },
  );
}

interface GivenStart {
  source: ProcedureSource;
  input: JsonValue;
  task?: string | undefined;
  messageId?: string | undefined;
  published?: PublishedAs | undefined;
}

/** What was started by a name stays that run, whichever version the name has by now. */
function isSameVersion({ published: before }: StartInput, published: PublishedAs | undefined): boolean {
  return published !== undefined && before?.name === published.name;
}

/** What two starts don't have in common; null: they are one. What has the id of the same message is one. */
export function differenceOf(
  started: StartInput,
  { source, input, task, messageId, published }: GivenStart,
): string | null {
  if (messageId !== undefined) return started.messageId === messageId ? null : 'another message';
  const isSame =
    started.source === undefined
      ? started.procedure === nameOfStart({ source, ...defined({ published }) })
      : isSameVersion(started, published) || sourceHash(started.source) === sourceHash(source);
  if (!isSame) return 'another source';
  if (canonicalJson(started.input ?? {}) !== canonicalJson(input)) return 'another input';
  return (started.task ?? '') === (task ?? '') ? null : 'another task';
}

type History = NonNullable<
  Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>['history']
>;
type StartedEvent = NonNullable<
  NonNullable<History['events']>[number]['workflowExecutionStartedEventAttributes']
>;

/** What an execution of a workflow (left out: its newest) was started with; null where the server has none, or no longer. */
async function startedEvent(
  client: AnyClient,
  workflowId: string,
  execution?: string,
): Promise<StartedEvent | null> {
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, ...defined({ runId: execution }) },
      maximumPageSize: 1,
    });
    return history?.events?.[0]?.workflowExecutionStartedEventAttributes ?? null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || isNotFound(error)) return null;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 5;
}

/** The executions of a workflow that follow each other by continuing as new, the oldest first, up to `last`; those that the server still has. */
export async function executionsOf(client: Client, workflowId: string, last: string): Promise<string[]> {
  const executions: string[] = [];
  for (let runId = last; runId !== '';) {
    const started = await startedEvent(client, workflowId, runId);
    if (started === null) break;
    executions.unshift(runId);
    runId = started.continuedExecutionRunId ?? '';
  }
  return executions;
}

/**
 * Deletes a closed workflow from the server: the execution `last`, and those that had continued as new up to it, as far as they
 * are kept. The oldest first: whatever ends this halfway, the rest can still be found.
 */
export async function deleteExecutions(client: Client, workflowId: string, last: string): Promise<void> {
  const { namespace } = client.options;
  for (const runId of await executionsOf(client, workflowId, last))
    await client.workflowService.deleteWorkflowExecution({
      namespace,
      workflowExecution: { workflowId, runId },
    });
}
