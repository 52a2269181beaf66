import { codeNames } from '../../contract/tools/code-review.js';
import { TactusError } from '../../contract/errors.js';
import { getOwn, type JsonValue } from '../../contract/json/json.js';
import { declaredAgents } from '../agents/agent-declaration.js';
import { referencesOf } from '../agents/read-turn.js';
import { native, type Bridge } from '../kernel/bridge.js';
import { loadChunk } from '../modules/load-chunk.js';
import type { Step } from '../scheduler/native.js';
import { codeTools } from '../tools/code-tool.js';
import { findTools } from '../tools/resolve-tools.js';
import { callTool } from '../tools/tool-call.js';
import type { NamedTool } from '../tools/toolset-declaration.js';
import { globalNameOf } from '../vm/handle.js';
import { lua, pushField, setField, type LuaState } from '../vm/fengari.js';
import { pushJson, toJson } from '../values/marshal.js';

/**
 * Runs what a model has written over the tools of an agent. Its environment is a table of its own with these tools and
 * `codeNames`: there is no way from it to anything else.
 * @throws TactusError tool_failed where the file doesn't declare the agent at its top level, source_not_found
 */
export function* runWritten(
  bridge: Bridge,
  L: LuaState,
  { agent: name, file }: { agent: string; file: string },
): Generator<Step, JsonValue, unknown> {
  const agent = declaredAgents.of(bridge).find((each) => (each.name ?? globalNameOf(L, each)) === name);
  if (agent === undefined)
    throw new TactusError('tool_failed', `${name} writes procedures: declare it outside of functions`);
  const tools = codeTools(yield* findTools(bridge, L, referencesOf(bridge, agent)));
  const text = getOwn(bridge.run.source.files, file);
  if (text === undefined)
    throw new TactusError(
      'source_not_found',
      `${file}, which ${name} wrote, is not among the files of the run`,
    );
  lua.lua_checkstack(L, 8);
  loadChunk(L, file, text);
  pushEnvironment(bridge, L, tools);
  lua.lua_setupvalue(L, -2, 1);
  yield { call: 0, results: 1 };
  return toJson(L, -1, bridge.limits.depth);
}

function pushEnvironment(bridge: Bridge, L: LuaState, tools: ReadonlyMap<string, NamedTool>): void {
  lua.lua_createtable(L, 0, tools.size + codeNames.length);
  lua.lua_pushglobaltable(L);
  for (const name of codeNames) {
    pushField(L, -1, name);
    setField(L, -3, name);
  }
  lua.lua_pop(L, 1);
  for (const [name, tool] of tools) {
    lua.lua_pushcfunction(
      L,
      native(bridge, function* (thread) {
        const args: JsonValue = lua.lua_isnoneornil(thread, 1) ? {} : toJson(thread, 1);
        pushJson(thread, yield* callTool(bridge, thread, tool, args));
        return 1;
      }),
    );
    setField(L, -2, name);
  }
}
