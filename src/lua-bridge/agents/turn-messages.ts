import { TactusError } from '../../contract/errors.js';
import type { Message } from '../../contract/models/model-call.js';
import { fillTemplate, type TemplateValues, type TurnRequest } from './turn-request.js';
import {
  currentFrame,
  lua,
  pushJson,
  toJson,
  toText,
  type Bridge,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { pushSession } from '../sessions/session-library.js';
import { declaredAgents } from './agent-declaration.js';
import { declaredContexts, type ContextDeclaration } from './context-declaration.js';
import type { Surrounded } from './turn-progress.js';
import { conversation, withoutTornCalls, type Compacted, type Entry } from './conversation.js';
import {
  entriesById,
  applyCountingFilter,
  readMessage,
  shownEntry,
  historyDefault,
  type HistoryFilter,
} from './history.js';
import { renderContext } from './render-context.js';
import { isObject, type JsonObject } from '../../contract/json/json.js';

/** What a model is sent in a turn, before what the turn itself adds. */
export interface TurnMessages {
  /** The system prompt, with what a Context adds to it. */
  system: string | null;
  surrounded: Surrounded;
  /** Id of a message of the history in the conversation; null where it has none there. */
  idOf: (message: Message) => number | null;
  /** Where the conversation so far is empty or ends with the model's own words, 0.10 says something to go on from. */
  opening: string | null;
}

/** The part of the conversation that the agent sees, filtered as it says, inside of its Context. */
export function* turnMessages(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  values: TemplateValues,
  base: string | null,
): Generator<Step, TurnMessages, unknown> {
  const { agent } = turn;
  const byDefault = historyDefault.of(bridge);
  const summed = summaryOf(bridge, L, turn);
  let entries: (Entry | Message)[] = sourceOf(bridge, L, turn, byDefault.source).filter(
    ({ id }) => summed === null || id > summed.upTo,
  );
  for (const filter of [agent.filter, byDefault.filter])
    if (filter !== null) entries = yield* applyFilter(bridge, L, entries, filter, values);
  const all = withoutTornCalls(entries.map((each) => ('message' in each ? each.message : each)));
  const ids = new Map(
    entries.flatMap((each) => ('message' in each ? [[each.message, each.id] as const] : [])),
  );
  const context = contextOf(bridge, turn);
  const { system, history, ...around } =
    context === null
      ? { system: base, head: [], history: all, tail: [] }
      : yield* renderContext({ bridge, L, values, base, message: askedOf(turn), history: all }, context);
  const { role } = [...around.head, ...history, ...around.tail].at(-1) ?? {};
  const opening =
    role === undefined || role === 'system' ? 'Hello' : role === 'assistant' ? 'Continue' : null;
  return {
    system,
    surrounded: { ...around, history, summary: summed?.summary ?? null },
    idOf: (message) => ids.get(message) ?? null,
    opening: agent.isOlder ? opening : null,
  };
}

/** What a retriever looks up where it doesn't say, and what counts as the question. */
function askedOf({ message, params, agent }: TurnRequest): string {
  const { query } = params;
  return typeof query === 'string' && query !== '' ? query : (message ?? agent.initialMessage ?? '');
}

/** What was summed up for an agent that says so. */
function summaryOf(bridge: Bridge, L: LuaState, { agent, mode }: TurnRequest): Compacted | null {
  if (agent.compaction === null || mode === 'isolated') return null;
  return conversation.of(bridge, L).summaryFor(agent);
}

/** @throws TactusError lua_error where the history of an agent is wanted that isn't there */
function sourceOf(bridge: Bridge, L: LuaState, turn: TurnRequest, byDefault: string): Entry[] {
  if (turn.mode === 'isolated') return [];
  const source = turn.mode ?? turn.agent.source ?? byDefault;
  const said = conversation.of(bridge, L);
  if (source === 'own') return said.of(turn.agent);
  if (source === 'shared') return [...said.entries];
  const other = declaredAgents.of(bridge).find(({ name }) => name === source);
  if (other === undefined)
    throw new TactusError(
      'lua_error',
      `${turn.name}: message_history.source names '${source}', which is no agent`,
    );
  return said.of(other);
}

function* applyFilter(
  bridge: Bridge,
  L: LuaState,
  entries: (Entry | Message)[],
  filter: HistoryFilter,
  values: TemplateValues,
): Generator<Step, (Entry | Message)[], unknown> {
  if (filter.kind === 'compose') {
    let kept = entries;
    for (const each of filter.filters) kept = yield* applyFilter(bridge, L, kept, each, values);
    return kept;
  }
  const known = entries.map((each, i): Entry =>
    'message' in each
      ? each
      : { id: -1 - i, at: bridge.now(), message: each, agent: null, forgottenBy: new Set() },
  );
  if (filter.kind !== 'function') return applyCountingFilter(known, filter);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, filter.body);
  pushJson(L, known.map(shownEntry));
  const { input, context, prepared } = values;
  pushJson(L, { input, context, prepared });
  yield { call: 2, results: 1 };
  const kept = toJson(L, -1, bridge.limits.depth);
  lua.lua_pop(L, 1);
  if (!Array.isArray(kept))
    throw new TactusError('lua_error', 'a filter of messages must return a list of messages');
  const ids = entriesById(known);
  return kept.map((each) => readMessage(each, ids));
}

function contextOf(bridge: Bridge, { agent, name }: TurnRequest): ContextDeclaration | null {
  if (agent.context === null || 'values' in agent.context) return null;
  if ('declared' in agent.context) return agent.context.declared;
  const { named } = agent.context;
  const found = declaredContexts.of(bridge).find((each) => each.name === named);
  if (found === undefined) throw new TactusError('lua_error', `${name}: there is no Context '${named}'`);
  return found;
}

/** The system prompt of a turn, filled in; null where there is none. */
export function* systemPrompt(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  values: TemplateValues,
): Generator<Step, string | null, unknown> {
  const { system } = turn.agent;
  let text = turn.system;
  if (text === null && system !== null && 'text' in system) ({ text } = system);
  if (text === null && system !== null && 'body' in system) {
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, system.body);
    const isGivenSession = bridge.holds('sessions');
    if (isGivenSession) pushSession(bridge, L);
    yield { call: isGivenSession ? 1 : 0, results: 1 };
    text = toText(L, -1);
    lua.lua_pop(L, 1);
    if (text === null)
      throw new TactusError('lua_error', `${turn.name}: the function system_prompt must return a string`);
  }
  const whole = [text ?? '', turn.systemSuffix].filter((part) => part !== '').join('\n\n');
  return whole === '' ? null : fillTemplate(whole, values, bridge.limits.payloadBytes);
}

/** What `{input.x}` and its like stand for in this turn. Runs the agent's function `prepare`. */
export function* templateValues(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
): Generator<Step, TemplateValues, unknown> {
  const prepared = yield* prepare(bridge, L, turn);
  const { params, agent } = turn;
  const { input, state } = currentFrame(L).scope;
  const read = (reference: number): JsonObject => {
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, reference);
    const value = toJson(L, -1);
    lua.lua_pop(L, 1);
    return isObject(value) ? value : {};
  };
  const given = read(input);
  const context = params['context'] ?? {};
  const declared = agent.context !== null && 'values' in agent.context ? agent.context.values : {};
  return {
    input: given,
    state: read(state.table),
    // In the reference, both begin with what the run was given.
    params: { ...given, ...params },
    context: { ...given, ...declared, ...(isObject(context) ? context : {}) },
    prepared,
  };
}

/** What `prepare` returns: a table, or one value under the name `value`. */
function* prepare(bridge: Bridge, L: LuaState, turn: TurnRequest): Generator<Step, JsonObject, unknown> {
  const { prepare: body } = turn.agent;
  if (body === null) return {};
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, body);
  yield { call: 0, results: 1 };
  const value = toJson(L, -1, bridge.limits.depth);
  lua.lua_pop(L, 1);
  if (isObject(value)) return value;
  return value === null || (Array.isArray(value) && value.length === 0) ? {} : { value };
}
