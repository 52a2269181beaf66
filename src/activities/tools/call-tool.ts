import { Context } from '@temporalio/activity';
import type { CallToolInput } from '../../contract/activities.js';
import { TactusError } from '../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { ToolAnswer, ToolInvocation } from '../../contract/tools/outside-tool.js';
import type { ActivityDeps } from '../activity-deps.js';
import {
  assertResultFits,
  atEdge,
  attemptSignal,
  Fault,
  isTimeout,
  untilAborted,
} from '../retries/failures.js';
import { withHeartbeat } from '../retries/heartbeat.js';
import { createRedactor, secretsOf } from '../secrets/secrets.js';
import { refusalOf } from './refusal.js';
import {
  InputRequired,
  NotDone,
  TaskStarted,
  ToolFailed,
  type CallableTool,
  type HostCallContext,
  type ToolHost,
} from './tool-host.js';

/**
 * Calls a tool once, or asks whether it was called. Whether that is allowed is looked at here again, right before: by the
 * worker's own policy, whatever the run was told when it began.
 * @throws ApplicationFailure of type tool_failed, outcome_unknown (a `once` call that may have been done) or
 *   payload_too_large
 */
export async function callTool(
  deps: ActivityDeps,
  hosts: readonly ToolHost[],
  { invocation, idempotencyKey, tries, tasks }: CallToolInput,
): Promise<ToolAnswer> {
  const { source } = invocation;
  const tool = hosts.map((host) => host.find(invocation)).find((found) => found !== null) ?? null;
  const secrets = (): string[] => [...secretsOf(deps.env), ...(tool?.secrets() ?? [])];
  return atEdge({ code: 'tool_failed', subject: source, secrets, tries }, () =>
    withHeartbeat(async () => {
      if (tool === null)
        throw new TactusError('tool_failed', `no worker has a tool called ${source}`, { lacking: source });
      const { attempt, workflowExecution } = Context.current().info;
      const signal = attemptSignal(invocation.timeoutMs);
      const context: HostCallContext = {
        idempotencyKey,
        signal,
        attempt,
        runId: workflowExecution?.workflowId ?? '',
        approvedBy: invocation.approval?.by ?? null,
        inputs: invocation.inputs ?? null,
        effect: invocation.effect,
        tasks: tasks === true,
      };
      if (invocation.operation === 'verify') return verified(tool, invocation, context);
      const refusal = await settled(source, refusalOf(deps.toolPolicy, tool, invocation, signal));
      if (refusal !== null) return refusal;
      try {
        const value = await called(tool, invocation, context);
        return doneAnswer(createRedactor(tool.secrets()).value(value), invocation);
      } catch (error) {
        if (error instanceof TaskStarted) return { kind: 'task', task: error.task };
        if (!(error instanceof InputRequired)) throw error;
        return questionsAnswer(tool, { ...error, requests: error.requests as JsonObject });
      }
    }),
  );
}

/** @throws TactusError outcome_unknown, tool_failed; Fault */
async function called(
  tool: CallableTool,
  { source, args, effect, timeoutMs }: ToolInvocation,
  context: HostCallContext,
): Promise<unknown> {
  try {
    return await untilAborted(tool.call(args, context), context.signal);
  } catch (error) {
    // What is ours was found out before anything was sent, or after all was done.
    if (error instanceof InputRequired || error instanceof TaskStarted || error instanceof TactusError)
      throw error;
    if (error instanceof ToolFailed) throw new TactusError('tool_failed', error.message);
    if (error instanceof NotDone && effect !== 'once') throw error.fault;
    if (error instanceof NotDone) throw new TactusError('tool_failed', error.message);
    const late = isTimeout(context.signal) ? `gave no answer within ${timeoutMs} ms` : null;
    const said = late ?? (error instanceof Error ? error.message : String(error));
    // Whatever became of it, it may have been done.
    if (effect === 'once') throw new TactusError('outcome_unknown', `${source}: ${said}`);
    if (late !== null) throw new Fault(late, { retryable: true });
    throw error;
  }
}

async function verified(
  tool: CallableTool,
  { source, args, timeoutMs }: ToolInvocation,
  context: HostCallContext,
): Promise<ToolAnswer> {
  const { signal } = context;
  const found = await settled(source, untilAborted(tool.verify(args, context), signal)).catch(
    (error: unknown) => {
      throw isTimeout(signal)
        ? new Fault(`gave no answer within ${timeoutMs} ms`, { retryable: true })
        : error;
    },
  );
  if (found === null) return { kind: 'unknown' };
  if (!found.done) return { kind: 'not_done' };
  return assertResultFits<ToolAnswer>(
    { kind: 'done', value: asJson(found.result, source) },
    `What ${source} found`,
  );
}

/** What a tool says of itself for good. */
async function settled<T>(source: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ToolFailed) throw new TactusError('tool_failed', `${source}: ${error.message}`);
    throw error;
  }
}

/** @throws TactusError payload_too_large: it was done, and isn't done again for that */
export function doneAnswer(value: unknown, { source }: ToolInvocation): ToolAnswer {
  return assertResultFits<ToolAnswer>(
    { kind: 'done', value: asJson(value, source) },
    `The result of ${source}`,
  );
}

/** @throws TactusError tool_failed */
function asJson(value: unknown, source: string): JsonValue {
  try {
    return JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError('tool_failed', `${source} was done, and what it gave is no JSON: ${reason}`);
  }
}

interface Asked {
  requests: JsonObject;
  state: string | null;
  /** By which an agent knows what it was at. */
  task: string | null;
}

/**
 * What a tool asks people, as the run is told of it. Who asks is said by us, never by the tool.
 * @throws TactusError payload_too_large
 */
export function questionsAnswer(
  { agent, secrets }: CallableTool,
  { requests, state, task }: Asked,
): ToolAnswer {
  return assertResultFits<ToolAnswer>(
    {
      kind: 'input_required',
      requests: createRedactor(secrets()).value(requests),
      state,
      ...(agent === undefined ? {} : { agent: { ...agent(), task } }),
    },
    'What the tool asks',
  );
}
