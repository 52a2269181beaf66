import type { Budget } from '../../contract/budgets/budget.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { ModelCall } from '../../contract/models/model-call.js';
import type { NamedTool, ToolReference } from '../tools/tool-declaration.js';
import { readSkill } from '../tools/built-in-tools.js';
import { allReferences, findTools } from '../tools/resolve-tools.js';
import { inCodeMode } from '../tools/code-mode.js';
import type { ToolHandles } from '../tools/read-tools.js';
import { readHistoryMode, type HistoryMode } from './history.js';
import { agentToolsAt, type AgentDeclaration } from './agent-declaration.js';
import { TactusError } from '../../contract/errors.js';
import {
  askedModels,
  callSettings,
  modelName,
  modelsOf,
  readModelChoice,
  readSettings,
  settingsWith,
  type ModelChoice,
} from '../models/model-choice.js';
import { deadlineOf, type Deadline } from '../budgets/deadline.js';
import { budgetOf } from '../budgets/run-budgets.js';
import { lua, setField, toJson, toText, type Bridge, type LuaState, type Step } from '../kernel/index.js';

/** What an agent is asked for in one turn. */
export interface TurnRequest {
  agent: AgentDeclaration;
  name: string;
  message: string | null;
  /** Extra arguments of the call, for templates. */
  params: JsonObject;
  /** In the order in which they are asked; null: the worker's default. */
  models: readonly (string | null)[];
  settings: ModelCall['settings'];
  system: string | null;
  systemSuffix: string;
  tools: NamedTool[];
  /** What the call or the agent says of its history; null: neither does. */
  mode: HistoryMode | null;
  /** What this turn may use; null: what is left to it. */
  budget: Budget | null;
  /** When it is given up; null: never. */
  deadline: Deadline | null;
  /** An answer that doesn't have the form which the agent declares is given as text, and is no error. */
  isLenient: boolean;
}

const toolFields = ['tools', 'toolsets', 'inline_tools'];

const historyKey = 'message_history';

/** Keys of a call that mean something; all others are for templates. */
function callKeys(bridge: Bridge): string[] {
  return [...callSettings(bridge), 'message', 'inject', 'system_prompt', 'system_prompt_suffix', 'model'];
}

function settingsOf(bridge: Bridge, options: JsonObject): JsonObject {
  const names = [...callSettings(bridge), 'model', 'model_settings'];
  return Object.fromEntries(Object.entries(options).filter(([key]) => names.includes(key)));
}

/** Reads the argument of a call of an agent: nothing, a message, or a table. */
export function* readTurn(
  bridge: Bridge,
  L: LuaState,
  agent: AgentDeclaration,
  name: string,
  index: number,
  handles: ToolHandles,
): Generator<Step, TurnRequest, unknown> {
  const isTable = lua.lua_type(L, index) === lua.LUA_TTABLE;
  const owner = { what: name, name: () => name };
  const given = isTable ? withoutTools(L, index) : lua.lua_isnoneornil(L, index) ? null : toJson(L, index);
  // A table without keys, or with tools alone, asks nothing.
  const options: JsonObject = isObject(given) ? given : { message: isTable ? null : given };
  const message = options['message'] ?? options['inject'] ?? null;
  const text = (key: string): string | null => (typeof options[key] === 'string' ? options[key] : null);
  const tools = isTable ? agentToolsAt(bridge, L, index, handles, owner) : null;
  const references = tools ?? referencesOf(bridge, agent);
  const choice = askedChoice(bridge, agent, options, name);
  const models = askedModels(bridge, choice, name);
  const asks = [
    ...callKeys(bridge),
    ...(bridge.holds('history-mode') ? [historyKey] : []),
    ...(bridge.holds('budgets') ? ['budget'] : []),
    ...(bridge.holds('deadlines') ? ['deadline'] : []),
  ];
  const history = asks.includes(historyKey) ? (options[historyKey] ?? null) : null;
  const asked = {
    agent,
    name,
    message: message === null || typeof message === 'string' ? message : JSON.stringify(message),
    params: Object.fromEntries(Object.entries(options).filter(([key]) => !asks.includes(key))),
    models,
    settings: {
      ...settingsWith(bridge, choice, agent.settings),
      ...readSettings(bridge, settingsOf(bridge, options), name),
    },
    budget: budgetOf(bridge, asks.includes('budget') ? options['budget'] : null, name, 'lua_error'),
    deadline: deadlineOf(bridge, options['deadline'], name, 'lua_error') ?? agent.deadline,
    system: text('system_prompt'),
    systemSuffix: text('system_prompt_suffix') ?? '',
    isLenient: false,
    mode: readHistoryMode(isObject(history) ? (history['mode'] ?? null) : null, name) ?? agent.mode,
  };
  const found = yield* findTools(bridge, L, [...references, ...skillReader(agent)]);
  if (tools === null) assertStops(agent, name, found);
  return { ...asked, tools: inMode(bridge, agent, name, found) };
}

/** A misspelt name would never end a turn. A call may leave tools out, and code mode has others in their place. */
function assertStops({ stopAt, code }: AgentDeclaration, name: string, tools: readonly NamedTool[]): void {
  const isThere = (stop: string): boolean =>
    tools.some((each) => each.name === stop || each.tool.name === stop);
  const missing = stopAt.find((stop) => !isThere(stop));
  if (missing === undefined || code !== null) return;
  const there = tools.map((each) => each.name).join(', ') || 'none';
  throw new TactusError(
    'tool_failed',
    `${name}: stop_at_tools: there is no tool ${missing}; there are: ${there}`,
  );
}

/** One that writes procedures has a tool for that in place of its own. */
function inMode(bridge: Bridge, { code }: AgentDeclaration, name: string, tools: NamedTool[]): NamedTool[] {
  return code === null ? tools : inCodeMode(bridge, name, tools, code);
}

/** The tools that an agent has where a call names none. */
export function referencesOf(
  bridge: Bridge,
  { tools, isOlder, output }: AgentDeclaration,
): readonly ToolReference[] {
  return tools ?? (isOlder ? allReferences(bridge, output !== null) : []);
}

/** By which a model reads what a skill says that it has been told of. */
function skillReader({ skills: { skills, isFull } }: AgentDeclaration): ToolReference[] {
  return skills.length === 0 || isFull ? [] : [{ of: { named: readSkill }, selection: null }];
}

/** The agent's model, or what the call says. */
function askedChoice(
  bridge: Bridge,
  agent: AgentDeclaration,
  { model = null }: JsonObject,
  name: string,
): ModelChoice {
  const isSaid =
    typeof model === 'string' || (Array.isArray(model) && model.length > 0 && bridge.holds('model-options'));
  return isSaid ? readModelChoice(bridge, model, null, name) : agent.model;
}

function questionModels(bridge: Bridge, model: JsonValue): (string | null)[] {
  if (Array.isArray(model) && bridge.holds('model-options'))
    return modelsOf(bridge, readModelChoice(bridge, model, null, 'Agent.run'));
  return [typeof model === 'string' ? modelName(model) : null];
}

/** The table's data: tools are handles, and no JSON. */
function withoutTools(L: LuaState, index: number): JsonValue {
  lua.lua_createtable(L, 0, 0);
  lua.lua_pushnil(L);
  while (lua.lua_next(L, index)) {
    const key = lua.lua_type(L, -2) === lua.LUA_TSTRING ? toText(L, -2) : null;
    if (key !== null && !toolFields.includes(key)) setField(L, -3, key);
    else lua.lua_pop(L, 1);
  }
  const data = toJson(L, -1);
  lua.lua_pop(L, 1);
  return data;
}

/**
 * Reads the argument of `Agent.run`.
 * @throws TactusError source_invalid where it asks nothing
 */
export function readQuestion(bridge: Bridge, L: LuaState, agent: AgentDeclaration): TurnRequest {
  const given = toJson(L, 1);
  const options: JsonObject = isObject(given) ? given : { prompt: given };
  const prompt = options['prompt'] ?? options['message'] ?? null;
  if (typeof prompt !== 'string' || prompt === '')
    throw new TactusError('source_invalid', 'Agent.run needs a prompt');
  return {
    agent,
    name: 'agent',
    message: prompt,
    params: {},
    models: questionModels(bridge, options['model'] ?? null),
    settings: readSettings(bridge, options, 'Agent.run'),
    budget: budgetOf(bridge, options['budget'], 'Agent.run', 'lua_error'),
    deadline: deadlineOf(bridge, options['deadline'], 'Agent.run', 'lua_error'),
    system: typeof options['system_prompt'] === 'string' ? options['system_prompt'] : null,
    systemSuffix: '',
    isLenient: false,
    mode: null,
    tools: [],
  };
}

/** What `{input.x}` and its like stand for in a prompt. */
export interface TemplateValues {
  input: JsonObject;
  state: JsonObject;
  /** The input, and over it the extra arguments of the call. */
  params: JsonObject;
  /** The input, and over it the call's `context`. */
  context: JsonObject;
  /** What the agent's function `prepare` returned. */
  prepared: JsonObject;
}

const placeholder = /\{([A-Za-z_][\w]*)((?:\.[A-Za-z_]\w*)*)\}/g;

/**
 * Fills `{input.x}`, `{state.a.b}`, `{params.x}`, `{context.x}`, `{prepared.x}` and a bare `{x}`, which is `{params.x}`.
 * A name that stands for nothing is left as it is written: prompts hold braces of other kinds. `{env.X}` is empty: the
 * environment is the worker's.
 * @throws TactusError payload_too_large
 */
export function fillTemplate(text: string, values: TemplateValues, maxLength: number): string {
  let { length } = text;
  const fitting = (filled: string): string => {
    length += filled.length;
    if (length > maxLength)
      throw new TactusError(
        'payload_too_large',
        `a prompt is longer than the ${maxLength} characters that can be sent`,
      );
    return filled;
  };
  const roots: Record<string, JsonObject> = { ...values };
  return text.replace(placeholder, (whole, first: string, rest: string) => {
    const path = rest === '' ? [] : rest.slice(1).split('.');
    if (first === 'env' && path.length > 0) return '';
    const root = getOwn(roots, first);
    const value = root === undefined ? lookUp(values.params, [first, ...path]) : lookUp(root, path);
    if (value === undefined || (root !== undefined && path.length === 0)) return whole;
    return fitting(typeof value === 'string' ? value : JSON.stringify(value));
  });
}

function lookUp(root: JsonObject, path: string[]): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const key of path) {
    if (!isObject(value)) return undefined;
    value = getOwn(value, key);
  }
  return value;
}
