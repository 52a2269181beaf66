import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json.js';
import { readAgent, readSettings, readTools, type AgentDeclaration } from '../agent-declaration.js';
import { agentTurn, pushTurnResult, type Turn } from '../agent-turn.js';
import { native, type Bridge } from '../bridge.js';
import { globalNameOf, handleAt, pushHandle, setLibrary, type HandleType } from '../handle.js';
import { pushJson, toJson } from '../marshal.js';
import type { Native } from '../native.js';
import type { ToolDeclaration } from '../tool-declaration.js';
import {
  lauxlib,
  literal,
  lua,
  pushText,
  setField,
  toText,
  type CFunction,
  type LuaState,
} from '../vm/fengari.js';
import { toolNameOf } from './tool.js';

/** Keys of a call that are settings; all others are for templates. */
const callSettings = [
  'message',
  'inject',
  'tools',
  'temperature',
  'max_tokens',
  'request_timeout',
  'system_prompt',
  'system_prompt_suffix',
  'model',
];

/**
 * `a = Agent {…}`, `agent "name" {…}`; `a("text")`, `a({message = …})`, `a.turn({inject = …})`, `a.output`;
 * `Agent("name")`; `Agent.run{prompt = …, model = …}`.
 */
export function openAgent(bridge: Bridge, toolType: HandleType): void {
  const type: HandleType = { name: 'agent', index: () => 0 };
  type.call = native(
    bridge,
    turnOf(bridge, toolType, (L) => ({ agent: handleAt(L, 1, type) as AgentDeclaration, argument: 2 })),
  );
  type.index = (L, held, key) => readField(bridge, toolType, L, held as AgentDeclaration, key);
  const functions = { run: native(bridge, runOnce(bridge)) };
  setLibrary(bridge.L, 'Agent', functions, declare(bridge, type, toolType));
  setLibrary(bridge.L, 'agent', functions, declare(bridge, type, toolType));
}

function agentNameOf(bridge: Bridge, agent: AgentDeclaration): string {
  agent.name ??= globalNameOf(bridge.L, agent);
  agent.name ??= `agent_${bridge.declared.agents.indexOf(agent) + 1}`;
  return agent.name;
}

function declare(bridge: Bridge, type: HandleType, toolType: HandleType): CFunction {
  const add = (L: LuaState, name: string | null, config: number): number => {
    const agent = bridge.scheduler.notes.guard(L, () => readAgent(L, name, config, toolType));
    bridge.declared.add(bridge.declared.agents, agent);
    pushHandle(L, type, agent);
    return 1;
  };
  return (L) => {
    if (lua.lua_type(L, 2) === lua.LUA_TTABLE) return add(L, null, 2);
    const name = toText(L, 2) ?? lauxlib.luaL_argerror(L, 1, literal('a name or a table expected'));
    if (lua.lua_type(L, 3) === lua.LUA_TTABLE) return add(L, name, 3);
    const known = (bridge.declared.agents as AgentDeclaration[]).find(
      (each) => (each.name ?? globalNameOf(L, each)) === name,
    );
    if (known !== undefined) {
      pushHandle(L, type, known);
      return 1;
    }
    lua.lua_pushcfunction(L, (thread) => {
      lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
      return add(thread, name, 1);
    });
    return 1;
  };
}

function readField(
  bridge: Bridge,
  toolType: HandleType,
  L: LuaState,
  agent: AgentDeclaration,
  key: string,
): number {
  const push = (value: JsonValue): number => {
    pushJson(L, value);
    return 1;
  };
  switch (key) {
    case 'output':
      return push(agent.last?.output ?? null);
    case 'usage':
      return push(agent.last?.usage ?? null);
    case 'name':
      return push(agentNameOf(bridge, agent));
    case 'messages':
    case 'history':
      return push(agent.history as unknown as JsonValue);
    case 'turn':
      lua.lua_pushcfunction(
        L,
        native(
          bridge,
          turnOf(bridge, toolType, () => ({ agent, argument: 1 })),
        ),
      );
      return 1;
    case 'get_history':
      lua.lua_pushcfunction(L, (thread) => {
        pushJson(thread, agent.history as unknown as JsonValue);
        return 1;
      });
      return 1;
    case 'clear_history':
      lua.lua_pushcfunction(L, () => {
        agent.history.length = 0;
        return 0;
      });
      return 1;
    default:
      return 0;
  }
}

function turnOf(
  bridge: Bridge,
  toolType: HandleType,
  find: (L: LuaState) => { agent: AgentDeclaration; argument: number },
): Native {
  return function* (L) {
    const { agent, argument } = find(L);
    const turn = readTurn(bridge, L, agent, argument, toolType);
    pushTurnResult(L, yield* agentTurn(bridge, L, turn));
    return 1;
  };
}

/** The argument of a call: nothing, a message, or a table. */
function readTurn(
  bridge: Bridge,
  L: LuaState,
  agent: AgentDeclaration,
  index: number,
  toolType: HandleType,
): Turn {
  const name = agentNameOf(bridge, agent);
  const isTable = lua.lua_type(L, index) === lua.LUA_TTABLE;
  const ownTools = isTable ? readTools(L, index, toolType, name) : [];
  const given = isTable ? withoutTools(L, index) : lua.lua_isnoneornil(L, index) ? null : toJson(L, index);
  const options: JsonObject = isObject(given) ? given : { message: typeof given === 'string' ? given : null };
  const message = options['message'] ?? options['inject'] ?? null;
  const text = (key: string): string | null => (typeof options[key] === 'string' ? options[key] : null);
  const tools = isTable && hasField(L, index, 'tools') ? ownTools : agent.tools;
  return {
    agent,
    name,
    message: message === null || typeof message === 'string' ? message : JSON.stringify(message),
    params: Object.fromEntries(Object.entries(options).filter(([key]) => !callSettings.includes(key))),
    model: text('model') ?? agent.model,
    settings: { ...agent.settings, ...readSettings(options, name) },
    system: text('system_prompt'),
    systemSuffix: text('system_prompt_suffix') ?? '',
    tools: tools.map((tool) => resolveTool(bridge, tool)),
  };
}

function hasField(L: LuaState, index: number, name: string): boolean {
  lua.lua_pushvalue(L, index);
  pushText(L, name);
  const type = lua.lua_rawget(L, -2);
  lua.lua_pop(L, 2);
  return type !== lua.LUA_TNIL;
}

/** The table's data: tools are handles, and no JSON. */
function withoutTools(L: LuaState, index: number): JsonValue {
  lua.lua_createtable(L, 0, 0);
  lua.lua_pushnil(L);
  while (lua.lua_next(L, index)) {
    if (lua.lua_type(L, -2) === lua.LUA_TSTRING && toText(L, -2) !== 'tools')
      setField(L, -3, toText(L, -2) ?? '');
    else lua.lua_pop(L, 1);
  }
  const data = toJson(L, -1);
  lua.lua_pop(L, 1);
  return data;
}

function resolveTool(bridge: Bridge, tool: ToolDeclaration | { named: string }): Turn['tools'][number] {
  if (!('named' in tool)) return { name: toolNameOf(bridge, tool), tool };
  const found = (bridge.declared.tools as ToolDeclaration[]).find(
    (each) => toolNameOf(bridge, each) === tool.named,
  );
  if (found === undefined) throw new TactusError('tool_failed', `unknown tool '${tool.named}'`);
  return { name: tool.named, tool: found };
}

/** `Agent.run{prompt = …, model = …}`: one question, without a conversation. */
function runOnce(bridge: Bridge): Native {
  return function* (L) {
    const given = toJson(L, 1);
    const options: JsonObject = isObject(given) ? given : { prompt: given };
    const prompt = options['prompt'] ?? options['message'] ?? null;
    if (typeof prompt !== 'string' || prompt === '')
      throw new TactusError('source_invalid', 'Agent.run needs a prompt');
    const model = typeof options['model'] === 'string' ? options['model'].replace(/^(\w+):/, '$1/') : null;
    const system = typeof options['system_prompt'] === 'string' ? options['system_prompt'] : null;
    const agent: AgentDeclaration = {
      name: 'agent',
      model,
      system: null,
      initialMessage: null,
      tools: [],
      output: null,
      settings: {},
      history: [],
      last: null,
    };
    const turn: Turn = {
      agent,
      name: 'agent',
      message: prompt,
      params: {},
      model,
      settings: readSettings(options, 'Agent.run'),
      system,
      systemSuffix: '',
      tools: [],
    };
    pushTurnResult(L, yield* agentTurn(bridge, L, turn));
    return 1;
  };
}
