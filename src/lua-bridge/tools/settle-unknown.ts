import { hasCode, TactusError } from '../../contract/errors.js';
import type { HumanAsk, RequestOrigin } from '../../contract/people/human-request.js';
import { schemaProblem } from '../../contract/people/answer-schema.js';
import { isObject, jsonAs, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type {
  ListedTool,
  OutsideAnswer,
  OutsideQuestion,
  ToolAnswer,
  ToolInputs,
  ToolInvocation,
} from '../../contract/tools/outside-tool.js';
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
  type HostAnswer,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import type { NamedTool } from './tool-declaration.js';

/** An answer by which a person leaves a question. */
const decline = 'decline';

const types = { approval: 'hitl_approval', input: 'hitl_input', select: 'hitl_select' } as const;

/** What a person is asked for an agent outside: its words, and apart from them who it is. */
function agentAsk(
  origin: RequestOrigin,
  question: OutsideQuestion,
  now: number,
): { type: (typeof types)[OutsideQuestion['kind']]; ask: HumanAsk } {
  const { kind, message, shown, options, schema, expiresAt } = question;
  const isLeft = kind === 'input';
  const ask: HumanAsk = {
    kind,
    message: `${origin.source} asks: ${message}`,
    context: {
      ...(shown === null ? {} : { shown }),
      ...(schema === null ? {} : { schema }),
      ...(isLeft ? { leave: `answer "${decline}" to leave it` } : {}),
    },
    options,
    ...formOf(question),
    // Fail closed: nobody has said yes, and nothing is said in a person's name.
    default: kind === 'approval' ? false : kind === 'input' ? decline : null,
    timeoutMs: expiresAt === null ? null : Math.max(1, expiresAt - now),
    approvers: [],
    origin,
    ...(kind === 'input' ? boundTo(schema) : {}),
  };
  return { type: types[kind], ask };
}

function formOf({ kind, options }: OutsideQuestion): Pick<HumanAsk, 'form'> {
  if (kind === 'approval') return {};
  if (kind === 'input') return { form: { type: 'any' } };
  const choices = options.map((value) => ({ value, label: String(value) }));
  return { form: { type: 'select', multiple: false, min: 1, max: null, choices } };
}

/** Where the schema can't be checked inside of a run, the agent does it itself. */
function boundTo(schema: JsonObject | null): Pick<HumanAsk, 'metadata'> {
  const { $schema: _, ...bare } = schema ?? {};
  if (schema === null || schemaProblem(bare) !== null) return {};
  return { metadata: { response_schema: { anyOf: [bare, { const: decline }] } } };
}

/** What the agent is told. Where nobody has said anything in time, or the request was taken back, it is left. */
function agentAnswer({ kind }: OutsideQuestion, answer: HostAnswer): JsonValue {
  return outsideAnswer(kind, answer);
}

function outsideAnswer(kind: OutsideQuestion['kind'], answer: HostAnswer): OutsideAnswer {
  const { comment = null } = 'comment' in answer ? answer : {};
  const said = comment === null || comment === '' ? {} : { comment };
  if (answer.how === 'withdrawn') return { action: 'decline', ...said };
  const { how, value } = answer;
  const isLeft = (kind === 'input' && value === decline) || (kind !== 'approval' && how === 'timed_out');
  return isLeft ? { action: 'decline', ...said } : { action: 'accept', content: value, ...said };
}

/**
 * Asks people what a tool wants to know before it goes on, one question after the other. Questions of an agent outside were
 * read by the worker; others are elicitations of MCP (revision 2026-07-28): a text, and a schema for the answer.
 * @throws TactusError tool_failed where the tool asks for something else
 */
export function* askToolInputs(
  bridge: Bridge,
  { listed: { source } }: OutsideTool,
  { requests, state, agent }: Extract<ToolAnswer, { kind: 'input_required' }>,
): Generator<Step, ToolInputs, unknown> {
  const responses: JsonObject = {};
  for (const [name, request] of Object.entries(requests)) {
    const question = agent === undefined ? null : jsonAs<OutsideQuestion>(request);
    const { type, ask } =
      agent === undefined || question === null
        ? ({ type: 'hitl_input', ask: questionOf(source, request) } as const)
        : agentAsk({ source, ...agent, execution: 'outside' }, question, bridge.now());
    const answer = yield* askForHost(bridge, type, ask);
    setOwn(responses, name, question === null ? elicited(answer) : agentAnswer(question, answer));
  }
  return { responses, state };
}

/** MCP has a word for a question that nobody has answered, and one for a person who won't. */
function elicited(answer: HostAnswer): JsonValue {
  if (answer.how !== 'decided') return { action: 'cancel' };
  return answer.value === decline ? { action: decline } : { action: 'accept', content: answer.value };
}

function questionOf(source: string, request: JsonValue): HumanAsk {
  const { method, params } = isObject(request) ? request : {};
  const { message, requestedSchema = null, mode = 'form' } = isObject(params) ? params : {};
  if (method !== 'elicitation/create' || mode !== 'form' || typeof message !== 'string')
    throw new TactusError(
      'tool_failed',
      `${source} asks for ${JSON.stringify(method ?? null)}, which it isn't given`,
    );
  const { $schema: _, ...schema } = isObject(requestedSchema) ? requestedSchema : {};
  const isKnown = schemaProblem(schema) === null;
  return {
    kind: 'input',
    message: `${source} asks: ${message}`,
    context: { tool: source, schema, leave: `answer "${decline}" to leave it` },
    options: [],
    form: { type: 'any' },
    default: null,
    timeoutMs: null,
    approvers: [],
    ...(isKnown ? { metadata: { response_schema: { anyOf: [schema, { const: decline }] } } } : {}),
  };
}

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
    if (!hasCode(error, 'tool_failed')) throw error;
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
  { name, title: shown = name }: NamedTool,
  invocation: ToolInvocation,
): Generator<Step, ToolAnswer, unknown> {
  const title = `${shown}${suffixes[invocation.operation]}`;
  const effect = { kind: 'tool', invocation } as const;
  return (yield { effect: { type: 'tool_attempt', name, title, effect } }) as ToolAnswer;
}
