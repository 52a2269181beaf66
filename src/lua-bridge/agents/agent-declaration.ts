import type { Budget } from '../../contract/budgets/budget.js';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { ModelCall } from '../../contract/models/model-call.js';
import { skillFiles } from '../../contract/procedures/source.js';
import { deadlineOf, type Deadline } from '../budgets/deadline.js';
import { budgetOf } from '../budgets/run-budgets.js';
import { agentSettings, readModelChoice, readSettings, type ModelChoice } from '../models/model-choice.js';
import {
  DeclaredList,
  fieldSchema,
  functionAt,
  handleAt,
  hasField,
  jsonAt,
  lua,
  pushField,
  readSchema,
  textAt,
  textsOf,
  toJsonSchema,
  toText,
  type Bridge,
  type HandleType,
  type LuaState,
  type Schema,
} from '../kernel/index.js';
import type { ContextDeclaration } from './context-declaration.js';
import { skillsIn, type Skill } from '../tools/built-in-tools.js';
import {
  readCompaction,
  readFilter,
  readHistoryMode,
  type Compaction,
  type HistoryFilter,
  type HistoryMode,
} from './history.js';
import type { CodeMode } from '../tools/code-mode.js';
import { toolListAt, type ToolHandles } from '../tools/read-tools.js';
import { readApproval, type ToolReference } from '../tools/tool-declaration.js';

export interface AgentDeclaration {
  name: string | null;
  /** Written `agent("name", {…})`, as in 0.10: without a list of tools it has them all. */
  isOlder: boolean;
  /** Declared by `agent`, which gives an answer as its text where no output is declared. */
  isLowerCase: boolean;
  /** What a model reads of it where it is a tool of another agent. */
  description: string | null;
  model: ModelChoice;
  /** Instructions that stand in its system prompt, or that it may read: those in these folders and files. */
  skills: { skills: Skill[]; isFull: boolean };
  /** A template, or a registry reference to a function that gives one. */
  system: { text: string } | { body: number } | null;
  initialMessage: string | null;
  /** null where none are listed. */
  tools: ToolReference[] | null;
  output: Schema | null;
  settings: ModelCall['settings'];
  /** Model calls in one turn before it fails, where it says. */
  rounds: number | null;
  /** Names of the tools that end its turn, with what they gave. */
  stopAt: readonly string[];
  /** Registry reference of the function that gives `{prepared.x}`, or null. */
  prepare: number | null;
  /** The messages that surround the history, by handle or by name; or values of `{context.x}`. */
  context: { declared: ContextDeclaration } | { named: string } | { values: JsonObject } | null;
  /** Whose history is sent to the model: `own`, `shared` or the name of another agent; null: the procedure's choice. */
  source: string | null;
  /** `isolated`: each turn is sent none, and adds nothing to any; null: the agent doesn't say. */
  mode: HistoryMode | null;
  /** What it may use in all of its turns; null: what is left to it. */
  budget: Budget | null;
  /** When a turn of it is given up; null: never. */
  deadline: Deadline | null;
  /** It writes procedures over its tools; null: it calls them one by one. */
  code: CodeMode | null;
  filter: HistoryFilter | null;
  /** When its conversation is summed up; null: never. */
  compaction: Compaction | null;
}

export const declaredAgents = new DeclaredList<AgentDeclaration>();

/** An agent that has nothing but a name. */
export function plainAgent(name: string | null): AgentDeclaration {
  return {
    name,
    isOlder: false,
    isLowerCase: false,
    description: null,
    model: { model: null, provider: null },
    skills: { skills: [], isFull: false },
    system: null,
    initialMessage: null,
    tools: null,
    output: null,
    settings: {},
    rounds: null,
    stopAt: [],
    prepare: null,
    context: null,
    source: null,
    mode: null,
    budget: null,
    deadline: null,
    code: null,
    filter: null,
    compaction: null,
  };
}

export interface AgentHandles extends ToolHandles {
  context: HandleType;
}

/**
 * Reads the table of an agent's constructor at `config`. `nameOf` is asked for the name when it is known.
 * @throws TactusError source_invalid naming the field
 */
export function readAgent(
  bridge: Bridge,
  L: LuaState,
  name: string | null,
  config: number,
  handles: AgentHandles,
  nameOf: (agent: AgentDeclaration) => string,
): AgentDeclaration {
  const what = `Agent${name === null ? '' : ` "${name}"`}`;
  const agent = plainAgent(name ?? textAt(L, config, 'name'));
  const output = ['output', 'output_schema', 'output_type', 'outputs']
    .map((field) => jsonAt(L, config, field))
    .find((declared) => declared !== null);
  agent.model = readModelChoice(bridge, jsonAt(L, config, 'model'), textAt(L, config, 'provider'), what);
  agent.description = textAt(L, config, 'description');
  agent.system = systemAt(L, config);
  if (bridge.holds('skills')) agent.skills = skillsAt(bridge, L, config, what);
  agent.initialMessage = textAt(L, config, 'initial_message');
  agent.tools = agentToolsAt(bridge, L, config, handles, { what, name: () => nameOf(agent) });
  agent.output = output === undefined ? null : readSchema(output, `${what}: output`);
  agent.settings = readSettings(bridge, valuesOf(bridge, L, config), what);
  const rounds = jsonAt(L, config, 'max_tool_followup_rounds');
  agent.rounds = typeof rounds === 'number' && rounds >= 0 ? Math.trunc(rounds) + 1 : null;
  if (bridge.holds('turn-options')) agent.stopAt = stopAtOf(jsonAt(L, config, 'stop_at_tools'), what);
  agent.prepare = functionAt(L, config, 'prepare');
  agent.context = contextAt(L, config, handles.context);
  Object.assign(agent, historyAt(bridge, L, config, what));
  if (bridge.holds('code-mode')) agent.code = codeModeOf(jsonAt(L, config, 'code_mode'), what);
  agent.budget = budgetOf(bridge, jsonAt(L, config, 'budget'), what);
  agent.deadline = deadlineOf(bridge, jsonAt(L, config, 'deadline'), what);
  return agent;
}

/** All that the table lists as tools in one of the ways to write it; null where it lists none. */
export function agentToolsAt(
  bridge: Bridge,
  L: LuaState,
  config: number,
  handles: ToolHandles,
  owner: { what: string; name: () => string },
): ToolReference[] | null {
  const fields = ['tools', 'toolsets', 'inline_tools'].filter((field) => hasField(L, config, field));
  if (fields.length === 0) return null;
  return fields.flatMap((field) => toolListAt(bridge, L, config, field, handles, owner));
}

function valuesOf(bridge: Bridge, L: LuaState, config: number): JsonObject {
  return Object.fromEntries(
    [...agentSettings(bridge), 'model', 'model_settings'].map((name) => [name, jsonAt(L, config, name)]),
  );
}

function systemAt(L: LuaState, config: number): AgentDeclaration['system'] {
  const body = functionAt(L, config, 'system_prompt');
  if (body !== null) return { body };
  const text = textAt(L, config, 'system_prompt');
  return text === null ? null : { text };
}

/** @throws TactusError source_invalid where a place has no skills, or the mode is none */
function skillsAt(bridge: Bridge, L: LuaState, config: number, what: string): AgentDeclaration['skills'] {
  const given = jsonAt(L, config, 'skills');
  const mode = jsonAt(L, config, 'skills_mode') ?? 'metadata';
  const places = typeof given === 'string' ? [given] : (textsOf(given ?? []) ?? []);
  const { source } = bridge.run;
  const empty = places.find((place) => skillFiles(source, place).length === 0);
  if (empty !== undefined)
    throw new TactusError(
      'source_invalid',
      `${what}: skills: there is no SKILL.md in ${JSON.stringify(empty)}; a place must stand in the file in full, as "./skills"`,
    );
  if (mode !== 'metadata' && mode !== 'full')
    throw new TactusError(
      'source_invalid',
      `${what}: skills_mode must be "metadata" or "full", got ${JSON.stringify(mode)}`,
    );
  return { skills: skillsIn(source, places), isFull: mode === 'full' };
}

/** @throws TactusError source_invalid where they are no names */
function stopAtOf(given: JsonValue, what: string): string[] {
  const names = given === null ? [] : [given].flat();
  if (names.every((name): name is string => typeof name === 'string')) return names;
  throw new TactusError(
    'source_invalid',
    `${what}: stop_at_tools must be names of tools, got ${JSON.stringify(given)}`,
  );
}

/** @throws TactusError source_invalid naming the field */
function codeModeOf(given: JsonValue, what: string): CodeMode | null {
  if (given === null || given === false) return null;
  const { approval = null, ...others }: JsonObject = isObject(given) ? given : {};
  const [unknown] = Object.keys(others);
  if ((given !== true && !isObject(given)) || unknown !== undefined)
    throw new TactusError(
      'source_invalid',
      `${what}: code_mode must be true, or a table with approval, got ${JSON.stringify(given)}`,
    );
  return { approval: readApproval(approval, `${what}: code_mode.approval`) };
}

function contextAt(L: LuaState, config: number, type: HandleType): AgentDeclaration['context'] {
  pushField(L, config, 'context');
  const declared = handleAt(L, -1, type) as ContextDeclaration | null;
  const named = lua.lua_type(L, -1) === lua.LUA_TSTRING ? toText(L, -1) : null;
  lua.lua_pop(L, 1);
  if (declared !== null) return { declared };
  if (named !== null) return { named };
  const values = jsonAt(L, config, 'context');
  return isObject(values) ? { values } : null;
}

type HistoryChoice = Pick<AgentDeclaration, 'source' | 'mode' | 'filter' | 'compaction'>;

/** `message_history = {source = …, mode = …, filter = …, compact = …}`, which 0.10 calls `session` too, or `filter` alone. */
function historyAt(bridge: Bridge, L: LuaState, config: number, what: string): HistoryChoice {
  const top = lua.lua_gettop(L);
  const found: HistoryChoice = { source: null, mode: null, filter: null, compaction: null };
  for (const field of ['message_history', 'session']) {
    if (pushField(L, config, field) !== lua.LUA_TTABLE) continue;
    const history = lua.lua_gettop(L);
    found.source ??= textAt(L, history, 'source');
    if (bridge.holds('history-mode')) found.mode ??= readHistoryMode(jsonAt(L, history, 'mode'), what);
    if (bridge.holds('compaction')) found.compaction ??= readCompaction(jsonAt(L, history, 'compact'), what);
    pushField(L, history, 'filter');
    found.filter ??= readFilter(L, what);
  }
  pushField(L, config, 'filter');
  found.filter ??= readFilter(L, what);
  lua.lua_settop(L, top);
  return found;
}

/** JSON Schema that the model's answer must follow. */
export function outputSchema(bridge: Bridge, schema: Schema | null): JsonObject | null {
  if (schema === null) return null;
  if (schema.kind === 'fields') return toJsonSchema(schema.fields);
  return bridge.holds('turn-options') ? fieldSchema(schema.field) : null;
}
