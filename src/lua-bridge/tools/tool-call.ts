import { digestOf } from '../../contract/effects/digest.js';
import type { JsonValue } from '../../contract/json/json.js';
import { afford } from '../budgets/afford.js';
import type { Bridge } from '../kernel/bridge.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { pushJson, toJson } from '../values/marshal.js';
import type { Step } from '../scheduler/native.js';
import { checkValue } from '../values/schema.js';
import { permission } from './permission.js';
import { notOurs } from './provided-tool.js';
import { callOutside, checkOutside } from './outside-call.js';
import type { ToolDeclaration } from './tool-declaration.js';
import type { NamedTool } from './toolset-declaration.js';
import { lua, type LuaState } from '../vm/fengari.js';
import { mocks } from '../mocks/mocks.js';
import { observed } from '../specifications/observed.js';

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
    input: args,
    digest: digestOf(args),
    scope: { isRecorded: true },
  } as const;
  const result = yield* checkpointed(bridge, L, spec, function* () {
    yield* afford(bridge, L, { what: `a call of ${name}`, toolCalls: 1 });
    const mocked = mocks.of(bridge).result(name, args, 'tool_failed');
    if (mocked !== null) return mocked.value;
    if (named.listed !== null)
      return yield* callOutside(bridge, L, { name, tool, listed: named.listed }, args);
    if (tool.provided !== null) throw notOurs(name, tool.provided.source);
    if (tool.perform !== null) return yield* tool.perform(L, args);
    // Nobody was asked for it: nothing outside may be, in this run.
    if (tool.source !== null || tool.http !== null) return { tool: name, args };
    if (tool.body === null) return tool.answer?.(args) ?? null;
    yield* permission(bridge, L, named, args);
    lua.lua_checkstack(L, 8);
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, tool.body);
    pushJson(L, args);
    yield { call: 1, results: 1 };
    const value = toJson(L, -1, bridge.limits.depth);
    lua.lua_pop(L, 1);
    return value;
  });
  recordCall(bridge, tool, name, { args, result });
  return result;
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
  call: ToolDeclaration['calls'][number],
): void {
  tool.calls.push(call);
  observed(bridge)?.toolCalls.push({ tool: name, ...call });
}
