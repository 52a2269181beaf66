import { TactusError } from '../../contract/errors.js';
import type { HumanAsk } from '../../contract/people/human-request.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import type { ListedTool, ToolAnswer, ToolInvocation } from '../../contract/tools/outside-tool.js';
import {
  askForHost,
  byHost,
  errorText,
  lua,
  LuaRaised,
  pushJson,
  toJson,
  withdrawnText,
  type Bridge,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import type { NamedTool } from './tool-declaration.js';

/** Whether a call was done of which nobody knew that. */
type Settled = { done: true; result: JsonValue } | { done: false };

interface Question {
  invocation: ToolInvocation;
  /** Why nobody knows. */
  problem: string;
  /** Whether `verify` is asked; else a person is. */
  isVerified: boolean;
  /** Who had to allow the call: whether it was done, so whether it is called again, is theirs to say. Empty: anyone. */
  approvers: readonly string[];
}

const answers = {
  done: 'It was done',
  not_done: 'It was not done: call it',
  failed: 'Leave it: for the procedure it has failed',
} as const;

/**
 * Finds out whether a call was done: by the file's `verify`, by the tool's own, else by a person.
 * @throws TactusError outcome_unknown where the file wants to know of it, or the person leaves it
 */
export function* settleUnknown(
  bridge: Bridge,
  L: LuaState,
  named: OutsideTool,
  question: Question,
): Generator<Step, Settled, unknown> {
  const { invocation, problem, isVerified } = question;
  const { verify, onUnknown = 'ask' } = named.tool.options;
  if (isVerified) {
    const found =
      verify !== undefined
        ? yield* askFunction(bridge, L, named, verify, invocation)
        : named.listed.canVerify === true
          ? yield* askTool(bridge, named, invocation)
          : null;
    if (found !== null) return found;
  }
  if (onUnknown === 'error')
    throw new TactusError('outcome_unknown', `nobody knows whether ${named.name} was done: ${problem}`);
  return yield* askPerson(bridge, named, question);
}

/** `verify = function(args)` gives true or false, or `{done = …, result = …}`; nil where it can't tell. */
function* askFunction(
  bridge: Bridge,
  L: LuaState,
  { name }: OutsideTool,
  verify: number,
  { args }: ToolInvocation,
): Generator<Step, Settled | null, unknown> {
  const top = lua.lua_gettop(L);
  try {
    lua.lua_checkstack(L, 8);
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, verify);
    pushJson(L, args);
    yield { call: 1, results: 1 };
    const said = toJson(L, -1, bridge.limits.depth);
    lua.lua_settop(L, top);
    if (typeof said === 'boolean') return said ? { done: true, result: null } : { done: false };
    if (!isObject(said) || typeof said['done'] !== 'boolean') return null;
    return said['done'] ? { done: true, result: said['result'] ?? null } : { done: false };
  } catch (error) {
    if (!(error instanceof LuaRaised)) throw error;
    warn(bridge, name, errorText(L, -1));
    lua.lua_settop(L, top);
    return null;
  }
}

function* askTool(
  bridge: Bridge,
  named: OutsideTool,
  invocation: ToolInvocation,
): Generator<Step, Settled | null, unknown> {
  try {
    const answer = yield* attempt(named, { ...invocation, operation: 'verify' });
    if (answer.kind === 'done') return { done: true, result: answer.value };
    return answer.kind === 'not_done' ? { done: false } : null;
  } catch (error) {
    if (!(error instanceof TactusError) || error.code !== 'tool_failed') throw error;
    warn(bridge, named.name, error.message);
    return null;
  }
}

function warn(bridge: Bridge, tool: string, problem: string): void {
  const message = `${tool}: whether it was done can't be found out: ${problem}`;
  bridge.show({ kind: 'log', level: 'warning', message, context: { tool } });
}

function* askPerson(
  bridge: Bridge,
  { name, listed }: OutsideTool,
  { invocation: { args, call }, problem, approvers }: Question,
): Generator<Step, Settled, unknown> {
  const choices = Object.entries(answers).map(([value, label]) => ({ value, label }));
  const ask: HumanAsk = {
    kind: 'select',
    message: `Nobody knows whether ${listed.source} was done. Was it?`,
    context: { tool: listed.source, arguments: args, call, problem },
    options: choices.map(({ value }) => value),
    form: { type: 'select', multiple: false, min: 1, max: null, choices },
    default: null,
    timeoutMs: null,
    approvers: [...approvers],
    ...byHost(bridge),
  };
  const answer = yield* askForHost(bridge, 'hitl_select', ask);
  if (answer.how === 'decided') {
    const { value, by, comment } = answer;
    if (value === 'done') return { done: true, result: { outcome: 'done', said_by: by, comment } };
    if (value === 'not_done') return { done: false };
  }
  const left = answer.how === 'withdrawn' ? withdrawnText(answer) : 'it was left so';
  throw new TactusError('outcome_unknown', `nobody knows whether ${name} was done, and ${left}: ${problem}`);
}

/** What an attempt is called beside the tool. */
const suffixes = { call: '', verify: ' · was it done?', follow: ' · its task' } as const;

export type OutsideTool = NamedTool & { listed: ListedTool };

/** One attempt at a call, or the question whether there was one. */
export function* attempt(
  { name }: NamedTool,
  invocation: ToolInvocation,
): Generator<Step, ToolAnswer, unknown> {
  const title = `${name}${suffixes[invocation.operation]}`;
  const effect = { kind: 'tool', invocation } as const;
  return (yield { effect: { type: 'tool_attempt', name, title, effect } }) as ToolAnswer;
}
