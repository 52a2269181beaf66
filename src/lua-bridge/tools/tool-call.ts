import { digestOf } from '../../contract/effects/digest.js';
import { defined, isEmptyList, isObject, jsonAs, type JsonValue } from '../../contract/json/json.js';
import { afford } from '../budgets/afford.js';
import { assertInTime } from '../budgets/deadline.js';
import {
  checkValue,
  currentFrame,
  lua,
  pushJson,
  toJson,
  type Bridge,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { approval, approversOf, denied, permission } from './permission.js';
import { providedToolError } from './read-tools.js';
import { effectOf, type NamedTool, type ToolDeclaration } from './tool-declaration.js';
import { httpToolRequest } from './http-tool.js';
import { askToolInputs, attempt, settleUnknown, type OutsideTool } from './settle-unknown.js';
import { inTransaction } from './transaction.js';
import { mocks } from '../mocks/mocks.js';
import { observed } from '../specifications/specifications.js';
import { schemaMismatch, schemaProblem } from '../../contract/people/answer-schema.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import type {
  ListedTool,
  ToolApproval,
  ToolInputs,
  ToolInvocation,
  ToolRefusal,
} from '../../contract/tools/outside-tool.js';
import type { ToolRule } from '../../contract/tools/tool-policy.js';
import { procedureName } from '../../contract/procedures/source.js';

/**
 * Calls a tool and records it. Arguments are checked against what the tool declares, with defaults filled in: a
 * model invents them, and the handler may count on them.
 * @throws TactusError tool_failed where an argument is missing or of the wrong type, tool_denied, outcome_unknown,
 *   budget_exhausted
 */
export function* callTool(
  bridge: Bridge,
  L: LuaState,
  named: NamedTool,
  given: JsonValue,
): Generator<Step, JsonValue, unknown> {
  const { name, tool } = named;
  const args = toolArguments(named, given);
  const spec = {
    type: 'tool_call',
    name,
    ...defined({ title: named.title }),
    input: args,
    digest: digestOf(args),
    // Before defaults: a newer source may have one argument more.
    compared: { data: given },
    scope: { isRecorded: true },
  } as const;
  const result = yield* checkpointed(bridge, L, spec, function* () {
    assertInTime(bridge, L, `executing tool '${name}'`);
    yield* afford(bridge, L, { what: `a call of ${name}`, toolCalls: 1 });
    const mocked = mocks.of(bridge).result(name, args, 'tool_failed');
    if (mocked !== null) return mocked.value;
    if (named.listed !== null)
      return yield* callOutside(
        bridge,
        L,
        { ...defined({ title: named.title }), name, tool, listed: named.listed },
        args,
      );
    if (tool.provided !== null) throw providedToolError(name, tool.provided.source);
    if (tool.perform !== null) return yield* tool.perform(L, args);
    // Nobody was asked for it: nothing outside may be, in this run.
    if (tool.source !== null || tool.http !== null) return { tool: name, args };
    if (tool.body === null) return tool.answer?.(args) ?? null;
    yield* permission(bridge, L, named, args);
    const { body } = tool;
    const call = (): Generator<Step, JsonValue, unknown> => callBody(bridge, L, body, args);
    return yield* tool.options.isTransaction === true ? inTransaction(bridge, L, name, call) : call();
  });
  recordCall(bridge, tool, name, { args, result });
  return result;
}

function* callBody(
  bridge: Bridge,
  L: LuaState,
  body: number,
  args: JsonValue,
): Generator<Step, JsonValue, unknown> {
  lua.lua_checkstack(L, 8);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, body);
  pushJson(L, args);
  yield { call: 1, results: 1 };
  const value = toJson(L, -1, bridge.limits.depth);
  lua.lua_pop(L, 1);
  return value;
}

/** @throws TactusError tool_failed where an argument is missing or of the wrong type */
export function toolArguments({ tool: { input }, listed }: NamedTool, given: JsonValue): JsonValue {
  if (Object.keys(input).length === 0) return listed === null ? given : checkOutside(listed, given);
  const check = { code: 'tool_failed', unknown: 'keep', requireAll: true } as const;
  return checkValue({ kind: 'fields', fields: input }, given ?? {}, check);
}

/** Counts a call that has ended, for the procedure and for tests. */
export function recordCall(
  bridge: Bridge,
  tool: ToolDeclaration,
  name: string,
  call: NonNullable<ToolDeclaration['calls']['last']>,
): void {
  tool.calls.count++;
  tool.calls.last = call;
  observed(bridge)?.toolCalls.push({ tool: name, ...call });
}

/** So often a call is repeated of which `verify` says that it wasn't done, before a person is asked. */
const mostRepeats = 3;

/** So often a tool may ask before it goes on: one that wants nothing but to be called again would be called for ever. */
const mostQuestions = 20;

/**
 * Calls a tool outside of the run, once it may be called. One that may be done once alone, and whose outcome nobody knows,
 * is called again only when it is known that it wasn't done.
 * @throws TactusError tool_denied, tool_failed, outcome_unknown, payload_too_large
 */
function* callOutside(
  bridge: Bridge,
  L: LuaState,
  named: OutsideTool,
  args: JsonValue,
): Generator<Step, JsonValue, unknown> {
  const approved = yield* permission(bridge, L, named, args);
  const isGuarded = bridge.holds('unknown-approvers');
  let approvers = isGuarded ? approversOf(bridge, named, args) : [];
  let invocation = invocationOf(bridge, L, named, args, approved);
  let asked = 0;
  for (let repeats = 0; ;) {
    try {
      const answer = yield* attempt(named, invocation);
      switch (answer.kind) {
        case 'done':
          return answer.value;
        case 'refused':
          if (isGuarded) approvers = ruleOf(answer)?.approvers ?? approvers;
          invocation = yield* afterRefusal(bridge, L, named, invocation, answer);
          break;
        case 'input_required':
          if (++asked > mostQuestions)
            throw new TactusError(
              'tool_failed',
              `${named.name} was asked ${mostQuestions} times, and asks again`,
            );
          invocation = withInputs(invocation, yield* askToolInputs(bridge, named, answer));
          break;
        case 'task':
          invocation = following(invocation, answer.task);
          break;
        case 'not_done':
        case 'unknown':
          throw new TactusError('internal', `a call can't end as ${answer.kind}`);
      }
    } catch (error) {
      if (!hasCode(error, 'outcome_unknown')) throw error;
      const question = { invocation, problem: error.message, isVerified: repeats < mostRepeats, approvers };
      const settled = yield* settleUnknown(bridge, L, named, question);
      if (settled.done) return settled.result;
      repeats++;
      if (invocation.task !== undefined) invocation = calledAnew(invocation);
    }
  }
}

/** The call is a task from now on: it is waited for, and nothing is called. */
function following(invocation: ToolInvocation, task: string): ToolInvocation {
  if (invocation.task === task) return invocation;
  const { inputs: _, ...call } = invocation;
  return { ...call, operation: 'follow', task };
}

/** A task is told all answers that it has ever asked for: what stands there may be an old question. */
function withInputs(invocation: ToolInvocation, { responses, state }: ToolInputs): ToolInvocation {
  const before = invocation.task === undefined ? {} : invocation.inputs?.responses;
  return { ...invocation, inputs: { responses: { ...before, ...responses }, state } };
}

/** The task came to nothing: what it was told is of no use to another one. */
function calledAnew({ task: _, inputs: __, ...call }: ToolInvocation): ToolInvocation {
  return { ...call, operation: 'call' };
}

/**
 * The same call with what a worker wants for it: a person's yes.
 * @throws TactusError tool_denied
 */
function* afterRefusal(
  bridge: Bridge,
  L: LuaState,
  named: OutsideTool,
  invocation: ToolInvocation,
  { action, reason, rule, now }: ToolRefusal,
): Generator<Step, ToolInvocation, unknown> {
  if (action === 'deny') throw denied(named, reason);
  const approved = yield* approval(bridge, L, named, invocation.args, {
    rule: ruleOf({ rule }),
    reason,
    refused: invocation.approval ?? null,
    ...defined({ now }),
  });
  return { ...invocation, approval: approved, ...(now === undefined ? {} : { version: now.version }) };
}

/** The rule of a worker that a call didn't satisfy. */
function ruleOf({ rule }: Pick<ToolRefusal, 'rule'>): ToolRule | null {
  return jsonAs<ToolRule | null>(rule);
}

/** @throws TactusError tool_failed where the arguments aren't as the tool says; what it alone can check, it checks itself */
function checkOutside({ source, parameters }: ListedTool, given: JsonValue): JsonValue {
  // A table without fields is a list to Lua.
  const args = isObject(given) ? given : given === null || isEmptyList(given) ? {} : null;
  if (args === null)
    throw new TactusError(
      'tool_failed',
      `${source} takes a table of arguments, got ${JSON.stringify(given)}`,
    );
  const { $schema: _, ...schema } = parameters;
  const mismatch = schemaProblem(schema) === null ? schemaMismatch(schema, args) : null;
  if (mismatch !== null)
    throw new TactusError('tool_failed', `${source}: the arguments don't fit: ${mismatch}`);
  return args;
}

function invocationOf(
  bridge: Bridge,
  L: LuaState,
  { name, tool: { options, http }, listed }: OutsideTool,
  args: JsonValue,
  approved: ToolApproval | null,
): ToolInvocation {
  const retry = options.retry ?? listed.retry;
  const timeoutMs = options.timeoutMs ?? listed.timeoutMs ?? bridge.limits.toolTimeoutMs;
  const fields = isObject(args) ? args : {};
  return {
    operation: 'call',
    source: listed.source,
    args,
    effect: effectOf(options.effect, listed),
    call: currentFrame(L).position,
    procedure: procedureName(bridge.run.source),
    timeoutMs,
    ...defined({ retry }),
    ...(http === null
      ? {}
      : { request: { ...httpToolRequest(http, fields, name, 'tool_failed'), timeoutMs } }),
    ...(approved === null ? {} : { approval: approved }),
    ...defined({ version: listed.version }),
  };
}
