import { hasCode, TactusError, type ErrorCode } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import {
  providerOfModel,
  type Message,
  type ModelCallResult,
  type ToolCall,
} from '../../contract/models/model-call.js';
import { runnerOf, type ProviderTool } from '../../contract/models/provider-tool.js';
import { procedureName } from '../../contract/procedures/source.js';
import { triesOf } from '../../contract/retries/retry-policy.js';
import { stopOf, type Exhausted } from '../budgets/afford.js';
import { runBranches } from '../checkpoints/branches.js';
import {
  errorText,
  lua,
  LuaRaised,
  pushText,
  toFunction,
  toText,
  type Branch,
  type Bridge,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { mocks } from '../mocks/mocks.js';
import { permission } from '../tools/permission.js';
import { callTool, toolArguments } from '../tools/tool-call.js';
import type { NamedTool } from '../tools/tool-declaration.js';
import type { TurnRequest } from './turn-request.js';

/** What tools gave that a model had asked for. */
interface ToolAnswers {
  messages: Message[];
  /** The budget that one of them wasn't called for, where the turn is to stop for it. */
  exhausted: Exhausted | null;
  /** What the first of those gave that end the turn; null: none of them was called, or each failed. */
  stop: { value: JsonValue } | null;
}

/** Runs what the model asked for. An error of a tool is for the model to read; only what ends the run passes. */
export function* runTools(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  calls: ToolCall[],
): Generator<Step, ToolAnswers, unknown> {
  const contents: string[] = [];
  let exhausted: Exhausted | null = null;
  const given = new Map<ToolCall, JsonValue>();
  const run = function* (thread: LuaState, call: ToolCall): Generator<Step, string, unknown> {
    try {
      return yield* runTool(bridge, thread, turn, call, (value) => given.set(call, value));
    } catch (error) {
      const stop = stopOf(error);
      if (stop === null) throw error;
      exhausted ??= stop;
      return errorResult((error as TactusError).message);
    }
  };
  const [only] = calls;
  if (calls.length === 1 && only !== undefined) contents.push(yield* run(L, only));
  else {
    const branches = calls.map((call): Branch => (thread) => {
      lua.lua_pushcfunction(
        thread,
        toFunction(bridge.scheduler, function* (inner) {
          pushText(inner, yield* run(inner, call));
          return 1;
        }),
      );
      return 0;
    });
    // Tools are a part of the turn: what they say is said in its conversation, however many are called.
    yield* runBranches(bridge, L, branches, { concurrency: calls.length, isApart: false });
    for (let i = 1; i <= calls.length; i++) {
      lua.lua_rawgeti(L, -1, i);
      contents.push(toText(L, -1) ?? '');
      lua.lua_pop(L, 1);
    }
    lua.lua_pop(L, 1);
  }
  const messages = calls.map(({ id, name }, i): Message => ({
    role: 'tool',
    toolCallId: id,
    name,
    content: contents[i] ?? '',
  }));
  const last = calls.find((call) => given.has(call) && endsTurn(turn, call));
  return { messages, exhausted, stop: last === undefined ? null : { value: given.get(last) ?? null } };
}

function* runTool(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  call: ToolCall,
  gave: (value: JsonValue) => void,
): Generator<Step, string, unknown> {
  const found = toolOf(turn, call.name);
  /** It was never called, so there is no entry for it: the author sees what the model was told. */
  const refuse = (message: string): string => {
    const context = { agent: turn.name, tool: call.name };
    bridge.show({
      kind: 'log',
      level: 'warning',
      message: `${turn.name} · ${call.name}: ${message}`,
      context,
    });
    return errorResult(message);
  };
  if (found === undefined)
    return refuse(
      `there is no tool ${call.name}; there are: ${turn.tools.map(({ name }) => name).join(', ')}`,
    );
  if (call.invalid !== undefined) return refuse(`the arguments are no JSON: ${call.invalid.slice(0, 200)}`);
  const wrong = wrongArguments(found, call.arguments);
  if (wrong !== null) return refuse(wrong);
  const top = lua.lua_gettop(L);
  try {
    const result = yield* callTool(bridge, L, found, call.arguments);
    gave(result);
    return shortened(bridge, typeof result === 'string' ? result : JSON.stringify(result));
  } catch (error) {
    if (error instanceof LuaRaised) {
      const message = errorText(L, -1);
      lua.lua_settop(L, top);
      return errorResult(message);
    }
    if (error instanceof TactusError && forTheModel(found).includes(error.code))
      return errorResult(error.message);
    throw error;
  }
}

/** Whether its author has said so, by the name that the model sees or that the tool has by itself. */
function endsTurn(turn: TurnRequest, { name }: ToolCall): boolean {
  const called = toolOf(turn, name);
  return turn.agent.stopAt.some((each) => toolOf(turn, each) === called);
}

/** Errors that are the model's to mend, or to live with. */
function forTheModel({ listed, tool }: NamedTool): readonly ErrorCode[] {
  const ofAll: readonly ErrorCode[] = ['tool_failed', 'tool_denied'];
  if (tool.perform !== null) return [...ofAll, 'child_failed'];
  return listed === null ? ofAll : [...ofAll, 'outcome_unknown', 'payload_too_large'];
}

/** What is longer would crowd out the conversation, and cost as much at each call after it. */
function shortened(bridge: Bridge, text: string): string {
  const { toolResultChars: most } = bridge.limits;
  if (text.length <= most || !bridge.holds('outside-tools')) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}\n[cut here: ${most} of ${text.length} characters]`;
}

function wrongArguments(named: NamedTool, given: JsonValue): string | null {
  try {
    toolArguments(named, given);
    return null;
  } catch (error) {
    if (hasCode(error, 'tool_failed')) return error.message;
    throw error;
  }
}

/** Models drop the name of the toolset that a tool's name begins with; where it is clear which tool is meant, it is called. */
export function toolOf({ tools }: TurnRequest, called: string): NamedTool | undefined {
  const [only, ...others] = tools.filter(({ tool }) => tool.name === called);
  return tools.find(({ name }) => name === called) ?? (others.length === 0 ? only : undefined);
}

/** An error as a model reads it in place of what a tool gave. */
function errorResult(message: string): string {
  return JSON.stringify({ error: message });
}

/**
 * What a model is told of the calls in an answer that was cut off; null: the answer is whole. None of them is made: arguments
 * that stop early can be right JSON all the same, and mean something else.
 */
export function cutOffCalls(bridge: Bridge, turn: TurnRequest, answer: ModelCallResult): ToolAnswers | null {
  const { toolCalls } = answer;
  const reason = cutOffReason(answer);
  if (toolCalls.length === 0 || reason === null || !bridge.holds('whole-calls')) return null;
  const message = `your answer ${reason}, so none of its calls was made; if it is still needed, call again, with less at once`;
  bridge.show({
    kind: 'log',
    level: 'warning',
    message: `${turn.name}: an answer of ${answer.model} ${reason}; its calls of tools were not made`,
    context: { agent: turn.name, tools: toolCalls.map(({ name }) => name) },
  });
  const messages = toolCalls.map(({ id, name }): Message => ({
    ...{ role: 'tool', toolCallId: id, name },
    content: errorResult(message),
  }));
  return { messages, exhausted: null, stop: null };
}

/**
 * A model that is cut off again and again would be paid for until its rounds are used up.
 * @param times in a row
 * @throws TactusError model_call_failed
 */
export function assertNotAlwaysCut(
  bridge: Bridge,
  { name, settings }: TurnRequest,
  answer: ModelCallResult,
  times: number,
): void {
  if (times < triesOf(bridge.limits, bridge.run.settings, settings.retry).answers) return;
  const next = answer.finishReason === 'length' ? ': raise max_tokens' : '';
  const often = times === 1 ? '' : ` ${times} times in a row`;
  throw new TactusError(
    'model_call_failed',
    `${name}: the answer of ${answer.model}, which calls tools, ${cutOffReason(answer) ?? ''}${often}${next}`,
  );
}

function cutOffReason({ finishReason }: ModelCallResult): string | null {
  if (finishReason === 'length') return 'was cut off at its limit of tokens';
  return finishReason === 'content_filter' ? "was stopped by the provider's filter" : null;
}

/** What the provider runs; one that is mocked is called as any other, and gives what its mock says. */
export function isProvided(bridge: Bridge, { name, tool }: NamedTool): boolean {
  return tool.provided !== null && !mocks.of(bridge).standsFor(name);
}

/**
 * The tools of a turn that providers run, once they may be given to a model. One that may not is left out, and the log says so.
 * @throws TactusError tool_failed where none of the turn's models is of the provider
 */
export function* allowedTools(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
): Generator<Step, ProviderTool[], unknown> {
  const tools: ProviderTool[] = [];
  for (const named of turn.tools) {
    const { provided } = named.tool;
    if (provided === null || !isProvided(bridge, named)) continue;
    const { source, args } = provided;
    const { name } = named;
    assertOfProvider(turn, source);
    try {
      const approval = yield* permission(bridge, L, named, args);
      const procedure = procedureName(bridge.run.source);
      tools.push({ name, source, args, procedure, ...(approval === null ? {} : { approval }) });
    } catch (error) {
      if (!hasCode(error, 'tool_denied')) throw error;
      logWithheld(bridge, turn, { name, reason: error.message });
    }
  }
  return tools;
}

/** The author sees what a model was not given. */
export function logWithheld(
  bridge: Bridge,
  turn: TurnRequest,
  { name, reason }: NonNullable<ModelCallResult['withheld']>[number],
): void {
  const context = { agent: turn.name, tool: name };
  bridge.show({ kind: 'log', level: 'warning', message: `${turn.name} · ${reason}`, context });
}

/** A model that stands in for others may be of another provider: it is given none of theirs. */
function assertOfProvider({ name, models }: TurnRequest, source: string): void {
  const providers = models.map(providerOfModel);
  const runner = runnerOf(source);
  if (providers.includes(null) || providers.includes(runner)) return;
  throw new TactusError(
    'tool_failed',
    `${name}: ${runner} runs ${source} for its own models alone, and the model is ${models.join(', ')}`,
  );
}
