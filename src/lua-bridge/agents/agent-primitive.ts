import { asJson, isObject, type JsonValue } from '../../contract/json/json.js';
import {
  declaredAgents,
  plainAgent,
  readAgent,
  type AgentDeclaration,
  type AgentHandles,
} from './agent-declaration.js';
import { agentTurn } from './agent-turn.js';
import { readQuestion, readTurn, type TurnRequest } from './turn-request.js';
import {
  globalNameOf,
  handleAt,
  lauxlib,
  literal,
  lua,
  native,
  pushHandle,
  pushJson,
  raise,
  setOlderGlobal,
  setOwnGlobal,
  toText,
  twoSpellings,
  type Bridge,
  type CFunction,
  type HandleType,
  type LuaState,
  type Native,
  type Step,
} from '../kernel/index.js';
import { callables } from '../tools/read-tools.js';
import { costOf, pushTurnResult, type TurnResult } from './turn-progress.js';
import { conversation, speakers, type TurnGiven } from './conversation.js';
import { digestOf } from '../../contract/effects/digest.js';
import { recorded } from '../checkpoints/checkpointed.js';
import { mocks } from '../mocks/mocks.js';

/**
 * `a = Agent {…}`, `agent "name" {…}`, `agent("name", {…})`; `a("text")`, `a({message = …})`, `a.turn({inject = …})`,
 * `a.output`; `Agent("name")`; `Agent.run{prompt = …, model = …}`. Gives a Lua function, for modules of ours, that
 * takes a turn in which an answer may have any form.
 */
export function openAgent(bridge: Bridge, handles: AgentHandles): CFunction {
  const type: HandleType = { name: 'agent', index: () => 0 };
  type.call = native(
    bridge,
    turnOf(bridge, handles, (L) => ({ agent: handleAt(L, 1, type) as AgentDeclaration, argument: 2 })),
  );
  const fields = fieldsOf(bridge, handles);
  type.index = (L, held, key) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) return 0;
    const value = field(held as AgentDeclaration, L);
    if (typeof value === 'function') lua.lua_pushcfunction(L, value);
    else pushJson(L, value);
    return 1;
  };
  callables.of(bridge).set(type, (held) => {
    const agent = held as AgentDeclaration;
    return {
      name: () => agentNameOf(bridge, agent),
      description: agent.description ?? `Asks ${agentNameOf(bridge, agent)}, which answers`,
      input: { message: { type: 'string', required: true, description: 'What it is asked' } },
      argument: ({ message }) => message ?? null,
      result: 'output',
    };
  });
  const libraries = twoSpellings(
    'Agent',
    () => ({ run: native(bridge, runOnce(bridge)) }),
    (_, isLowerCase) => declare(bridge, type, handles, isLowerCase),
  );
  for (const library of libraries) library.open(bridge);
  return native(bridge, function* (L) {
    const agent = handleAt(L, 1, type) as AgentDeclaration;
    const turn = yield* readTurn(bridge, L, agent, agentNameOf(bridge, agent), 2, handles);
    const mocked = yield* mockedAnswer(bridge, L, turn);
    const result = mocked ?? sureOf(yield* agentTurn(bridge, L, { ...turn, isLenient: true }));
    pushTurnResult(L, result, (thread) => (mocked === null ? historyOf(bridge, thread, agent) : []));
    return 1;
  });
}

/** What is written as a table says with it how sure the model is, where the model does. */
function sureOf(result: TurnResult): TurnResult {
  const { output, confidences } = result;
  if (confidences === undefined || !isObject(output)) return result;
  return { ...result, output: { ...output, confidence: Math.max(...Object.values(confidences)) } };
}

function agentNameOf(bridge: Bridge, agent: AgentDeclaration): string {
  agent.name ??= globalNameOf(bridge.L, agent);
  agent.name ??= `agent_${declaredAgents.of(bridge).indexOf(agent) + 1}`;
  return agent.name;
}

function declare(bridge: Bridge, type: HandleType, handles: AgentHandles, isLowerCase: boolean): CFunction {
  const add = (L: LuaState, name: string | null, config: number, isOlder: boolean): number => {
    const agent = bridge.scheduler.notes.guard(L, () =>
      readAgent(bridge, L, name, config, handles, (each) => agentNameOf(bridge, each)),
    );
    Object.assign(agent, { isOlder, isLowerCase });
    declaredAgents.add(bridge, agent);
    speakers.of(bridge).push({ agent, nameOf: () => agent.name ?? globalNameOf(bridge.L, agent) });
    // Before any branch: what its last turn gave is known outside of that, too.
    conversation.of(bridge, L);
    pushHandle(L, type, agent);
    if (isOlder && name !== null) setOlderGlobal(L, name);
    return 1;
  };
  return (L) => {
    if (lua.lua_type(L, 2) === lua.LUA_TTABLE) return add(L, null, 2, false);
    const name = toText(L, 2) ?? lauxlib.luaL_argerror(L, 1, literal('a name or a table expected'));
    if (lua.lua_type(L, 3) === lua.LUA_TTABLE) return add(L, name, 3, isLowerCase);
    const known = declaredAgents.of(bridge).find((each) => (each.name ?? globalNameOf(L, each)) === name);
    if (known !== undefined) {
      pushHandle(L, type, known);
      return 1;
    }
    lua.lua_pushcfunction(L, (thread) => {
      // It may have been meant as a call of an agent that was declared before.
      if (lua.lua_type(thread, 1) !== lua.LUA_TTABLE)
        return raise(thread, `there is no agent ${name}: declare it first, as Agent "${name}" {…}`);
      add(thread, name, 1, false);
      setOwnGlobal(thread, name);
      return 1;
    });
    return 1;
  };
}

/** What `agent.name` and its like give: a value, or a function for Lua. */
function fieldsOf(
  bridge: Bridge,
  handles: AgentHandles,
): Record<string, (agent: AgentDeclaration, L: LuaState) => JsonValue | CFunction> {
  const history = (agent: AgentDeclaration, L: LuaState): JsonValue => historyOf(bridge, L, agent);
  const lastTurn = (agent: AgentDeclaration, L: LuaState): TurnGiven | null =>
    conversation.of(bridge, L).lastTurn(agent);
  const giving =
    (value: (L: LuaState) => JsonValue): CFunction =>
    (L) => {
      pushJson(L, value(L));
      return 1;
    };
  return {
    output: (agent, L) => lastTurn(agent, L)?.output ?? null,
    usage: (agent, L) => lastTurn(agent, L)?.usage ?? null,
    name: (agent) => agentNameOf(bridge, agent),
    messages: history,
    history,
    turn: (agent) =>
      native(
        bridge,
        turnOf(bridge, handles, () => ({ agent, argument: 1 })),
      ),
    cost: (agent) =>
      giving((L) => {
        const last = lastTurn(agent, L);
        return costOf(last?.usage ?? {}, last?.cost ?? null);
      }),
    get_history: (agent) => giving((L) => history(agent, L)),
    clear_history: (agent) => (L) => {
      conversation.of(bridge, L).forget(agent);
      return 0;
    },
  };
}

function turnOf(
  bridge: Bridge,
  handles: AgentHandles,
  find: (L: LuaState) => { agent: AgentDeclaration; argument: number },
): Native {
  return function* (L) {
    const { agent, argument } = find(L);
    const turn = yield* readTurn(bridge, L, agent, agentNameOf(bridge, agent), argument, handles);
    yield* take(bridge, L, turn);
    return 1;
  };
}

function* take(bridge: Bridge, L: LuaState, turn: TurnRequest): ReturnType<Native> {
  const result = yield* agentTurn(bridge, L, turn);
  pushTurnResult(L, result, (thread) => historyOf(bridge, thread, turn.agent));
  return 1;
}

function historyOf(bridge: Bridge, L: LuaState, agent: AgentDeclaration): JsonValue {
  return conversation
    .of(bridge, L)
    .of(agent)
    .map(({ message }) => asJson(message));
}

/** `Agent.run{prompt = …, model = …}`: one question, without a conversation. */
function runOnce(bridge: Bridge): Native {
  return function* (L) {
    return yield* take(bridge, L, readQuestion(bridge, L, plainAgent('agent')));
  };
}

/**
 * What a mock gives in place of a classifier or another module that asks a model: to `Mocks` it is a model, which is
 * given `{text = …}`. null: the agent takes its turn, or its own mock does.
 */
function* mockedAnswer(
  bridge: Bridge,
  L: LuaState,
  { name, message }: TurnRequest,
): Generator<Step, TurnResult | null, unknown> {
  const input = { text: message };
  const mocked = mocks.of(bridge).result(name, input, 'model_call_failed');
  if (mocked === null) return null;
  const spec = { type: 'model_predict', name, input, digest: digestOf(input) } as const;
  const output = yield* recorded(bridge, L, spec, () => mocked.value);
  return { output, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, messages: [] };
}
