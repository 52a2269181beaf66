import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import type { Message } from '../../contract/models/model-call.js';
import type { Entry } from './conversation.js';
import { charactersPerToken } from './turn-progress.js';
import { lauxlib, lua, PerRun, pushField, toText, type LuaState } from '../kernel/index.js';

/** What of a history is sent to the model. */
export type HistoryFilter =
  | { kind: 'last_n' | 'first_n' | 'token_budget' | 'head_tokens' | 'tail_tokens'; n: number }
  | { kind: 'by_role'; role: string }
  | { kind: 'system_prefix' }
  | { kind: 'compose'; filters: HistoryFilter[] }
  /** Registry reference of a Lua function. */
  | { kind: 'function'; body: number };

/** Filters that keep a number of messages, or of tokens. */
export const countingFilters = ['last_n', 'first_n', 'token_budget', 'head_tokens', 'tail_tokens'] as const;

/**
 * Reads what is on top of the stack: a function, or what `filters.*` gave.
 * @throws TactusError source_invalid where it is neither
 */
export function readFilter(L: LuaState, what: string): HistoryFilter | null {
  const type = lua.lua_type(L, -1);
  if (type === lua.LUA_TNIL) return null;
  if (type === lua.LUA_TFUNCTION) {
    lua.lua_pushvalue(L, -1);
    return { kind: 'function', body: lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX) };
  }
  const filter = type === lua.LUA_TTABLE ? readTable(L, what) : null;
  if (filter === null)
    throw new TactusError(
      'source_invalid',
      `${what}: filter must be a function, or one of filters, such as filters.last_n(10)`,
    );
  return filter;
}

function readTable(L: LuaState, what: string): HistoryFilter | null {
  const table = lua.lua_gettop(L);
  const kind = pushField(L, table, 'filter') === lua.LUA_TSTRING ? toText(L, -1) : null;
  pushField(L, table, 'value');
  const number = lua.lua_type(L, -1) === lua.LUA_TNUMBER ? Math.trunc(lua.lua_tonumber(L, -1)) : null;
  const text = toText(L, -1);
  const counting = countingFilters.find((each) => each === kind);
  let filter: HistoryFilter | null = null;
  if (counting !== undefined && number !== null) filter = { kind: counting, n: number };
  else if (kind === 'by_role' && text !== null) filter = { kind, role: text };
  else if (kind === 'system_prefix') filter = { kind };
  else if (kind === 'compose' && lua.lua_type(L, -1) === lua.LUA_TTABLE) {
    const filters: HistoryFilter[] = [];
    for (let i = 1; lua.lua_rawgeti(L, table + 2, i) !== lua.LUA_TNIL; i++) {
      const each = readFilter(L, what);
      if (each !== null) filters.push(each);
      lua.lua_settop(L, table + 2);
    }
    filter = { kind, filters };
  }
  lua.lua_settop(L, table);
  return filter;
}

/** Applies a filter that is no function. */
export function applyCountingFilter(
  entries: readonly Entry[],
  filter: Exclude<HistoryFilter, { kind: 'function' | 'compose' }>,
): Entry[] {
  switch (filter.kind) {
    case 'last_n':
      return filter.n > 0 ? entries.slice(-filter.n) : [];
    case 'first_n':
      return entries.slice(0, Math.max(0, filter.n));
    case 'token_budget':
    case 'tail_tokens':
      return within([...entries].reverse(), filter.n).reverse();
    case 'head_tokens':
      return within(entries, filter.n);
    case 'by_role':
      return entries.filter(({ message }) => message.role === filter.role);
    case 'system_prefix': {
      const end = entries.findIndex(({ message }) => message.role !== 'system');
      return end < 0 ? [...entries] : entries.slice(0, end);
    }
  }
}

/** As many from the beginning as the tokens allow. */
function within(entries: readonly Entry[], tokens: number): Entry[] {
  let left = tokens * charactersPerToken;
  const end = entries.findIndex(({ message }) => (left -= message.content.length) < 0);
  return end < 0 ? [...entries] : entries.slice(0, end);
}

/** A message as Lua has it: `{id, created_at, role, content}`, with the calls of tools and what they answer. */
export function shownEntry({ id, at, message }: Entry): JsonValue {
  const shown = { id, created_at: new Date(at).toISOString(), role: message.role, content: message.content };
  if (message.role === 'tool') return { ...shown, tool_call_id: message.toolCallId, name: message.name };
  if (message.role !== 'assistant' || message.toolCalls === undefined) return shown;
  const calls = message.toolCalls.map(({ id: call, name, arguments: args }) => ({
    id: call,
    name,
    arguments: args,
  }));
  return { ...shown, tool_calls: calls };
}

/** The entries by their ids, to find what `readMessage` is given. */
export function entriesById(entries: readonly Entry[]): Map<JsonValue, Entry> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}

/**
 * A message that Lua gives: one of the entries where it has an id of them, else a new one.
 * @throws TactusError lua_error where it is none
 */
export function readMessage(value: JsonValue, entries: ReadonlyMap<JsonValue, Entry>): Entry | Message {
  if (typeof value === 'string') return { role: 'user', content: value };
  if (!isObject(value)) throw new TactusError('lua_error', 'a message must be a table with role and content');
  const known = entries.get(value['id'] ?? null);
  if (known !== undefined && known.message.content === value['content']) return known;
  const { role = 'user', content = '' } = value;
  if (role !== 'user' && role !== 'system' && role !== 'assistant')
    throw new TactusError(
      'lua_error',
      `a message's role must be user, system or assistant, got ${JSON.stringify(role)}`,
    );
  return { role, content: typeof content === 'string' ? content : JSON.stringify(content) };
}

/**
 * What `message_history = {mode = …}` of an agent, or of one turn, may say: `isolated`, the model is sent what this turn
 * says alone, and nothing of it is kept; `shared`, it is sent what all agents said.
 */
export type HistoryMode = 'isolated' | 'shared';

/** @throws TactusError source_invalid where it is neither */
export function readHistoryMode(given: JsonValue, what: string): HistoryMode | null {
  if (given === null || given === 'isolated' || given === 'shared') return given;
  throw new TactusError(
    'source_invalid',
    `${what}: message_history.mode must be "isolated" or "shared", got ${JSON.stringify(given)}`,
  );
}

/** Which history is sent for agents that don't say. */
interface HistoryDefault {
  source: string;
  filter: HistoryFilter | null;
}

export const historyDefault = new PerRun((): HistoryDefault => ({ source: 'own', filter: null }), 'declared');

/** `message_history = {compact = {over =, keep =, model =, prompt =}}`: when a long conversation is summed up, and how. */
export interface Compaction {
  /** Tokens of the conversation past which it is. */
  over: number;
  /** Tokens of its newest messages that stay as they are. */
  keep: number;
  /** Which model is asked; null: that of the turn. */
  model: string | null;
  /** What it is asked for; null: `defaultPrompt`. */
  prompt: string | null;
}

/** Where nobody says how much is kept: a part of what is too much. */
const keptPart = 1 / 4;

export const defaultPrompt = `Sum up this conversation so far, for yourself: the summary will stand in place of all but its newest messages. \
Keep what the task needs: what was asked for and under which conditions, what was decided and why, facts with their exact names, \
numbers and identifiers, what was tried and failed, and what is left to do. Answer with the summary alone, and call no tool.`;

/** @throws TactusError source_invalid naming what is wrong */
export function readCompaction(given: JsonValue, what: string): Compaction | null {
  if (given === null || given === false) return null;
  const where = `${what}: message_history.compact`;
  const { over, keep, model = null, prompt = null, ...others } = isObject(given) ? given : {};
  const [stranger] = Object.keys(others);
  if (stranger !== undefined)
    throw new TactusError(
      'source_invalid',
      `${where} has no ${stranger}: it has over, keep, model and prompt`,
    );
  if (!isCount(over))
    throw new TactusError(
      'source_invalid',
      `${where} needs over, the tokens past which the conversation is summed up: {over = 50000}`,
    );
  const kept = keep === undefined ? Math.floor(over * keptPart) : keep;
  if (!isCount(kept) || kept >= over)
    throw new TactusError(
      'source_invalid',
      `${where}.keep must be a number of tokens below over, got ${JSON.stringify(keep)}`,
    );
  for (const [name, text] of Object.entries({ model, prompt }))
    if (text !== null && (typeof text !== 'string' || text === ''))
      throw new TactusError('source_invalid', `${where}.${name} must be a text, got ${JSON.stringify(text)}`);
  return { over, keep: kept, model: model as string | null, prompt: prompt as string | null };
}

function isCount(given: JsonValue | undefined): given is number {
  return typeof given === 'number' && Number.isInteger(given) && given > 0;
}
