import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { CallUsage } from '../../contract/models/model-call.js';
import type { Exhausted } from '../budgets/exhausted.js';
import { lua, pushJson, pushText, setField, toText, type CFunction, type LuaState } from '../kernel/index.js';

/** What a turn gave: `result.output`, `result.usage`. */
export interface TurnResult extends JsonObject {
  output: JsonValue;
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  /** The messages that this turn added to the conversation. */
  messages: JsonValue;
  /** Left out where the model's price isn't known. */
  cost?: TurnCost;
  /** The budget that it stopped for, before it had an answer; left out where it has one. */
  exhausted?: Exhausted;
  /** What a summary stands for from now on: up to this message's id, and so many of `messages`. */
  compacted?: { summary: string; up_to: number | null; added: number };
  /** How sure the model is of each label that it could choose, from 0 to 1; left out where it doesn't say. */
  confidences?: Record<string, number>;
  /** Pages that the provider's own tools found; left out where there are none. */
  sources?: { url: string; title?: string }[];
  /** What the provider ran itself; left out where it ran nothing. */
  provider_calls?: { name: string; arguments: JsonValue }[];
}

/** In US dollars. */
export interface TurnCost extends JsonObject {
  prompt_cost: number;
  completion_cost: number;
}

/** With another call; null where what one of them cost isn't known. */
export function addCost(
  before: TurnCost | null,
  { input_usd: input, output_usd: output }: CallUsage,
): TurnCost | null {
  if (before === null || input === undefined || output === undefined) return null;
  return { prompt_cost: before.prompt_cost + input, completion_cost: before.completion_cost + output };
}

/** What a turn cost, as authors see it: 0 where the model's price isn't known. */
export function costOf(usage: JsonObject, cost: TurnCost | null): JsonObject {
  const { prompt_cost, completion_cost } = cost ?? { prompt_cost: 0, completion_cost: 0 };
  return { total_cost: prompt_cost + completion_cost, prompt_cost, completion_cost, ...usage };
}

function textOf(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/**
 * Pushes what a turn gave: a table with `output` and `usage`. All other names for them, and the messages, come from its
 * metatable, so that a result which is kept or returned holds each thing once.
 */
export function pushTurnResult(
  L: LuaState,
  result: TurnResult,
  conversation: (L: LuaState) => JsonValue,
): void {
  const {
    output,
    usage,
    messages,
    cost = null,
    confidences = null,
    exhausted = null,
    sources = null,
    provider_calls = null,
  } = result;
  const values: Record<string, JsonValue> = {
    ...{ text: textOf(output), value: output, data: output, messages },
    // Nothing that stands for nothing: a name that isn't there is nil.
    ...(confidences === null ? {} : { confidences, confidence: Math.max(...Object.values(confidences)) }),
    ...(exhausted === null ? {} : { exhausted }),
    ...(sources === null ? {} : { sources }),
    ...(provider_calls === null ? {} : { provider_calls }),
  };
  const functions: Record<string, (L: LuaState) => JsonValue> = {
    cost: () => costOf(usage, cost),
    new_messages: () => messages,
    all_messages: conversation,
  };
  const index: CFunction = (thread) => {
    const key = toText(thread, 2) ?? '';
    if (Object.hasOwn(values, key)) pushJson(thread, values[key] ?? null);
    else if (Object.hasOwn(functions, key))
      lua.lua_pushcfunction(thread, (inner) => {
        pushJson(inner, functions[key]?.(inner) ?? null);
        return 1;
      });
    else lua.lua_pushnil(thread);
    return 1;
  };
  const tostring: CFunction = (thread) => {
    pushText(thread, textOf(output));
    return 1;
  };
  pushJson(L, { output, usage });
  lua.lua_createtable(L, 0, 3);
  for (const [name, fn] of Object.entries({ __index: index, __tostring: tostring })) {
    lua.lua_pushcfunction(L, fn);
    setField(L, -2, name);
  }
  lua.lua_pushboolean(L, false);
  setField(L, -2, '__metatable');
  lua.lua_setmetatable(L, -2);
}
