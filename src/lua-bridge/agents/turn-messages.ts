import { TactusError } from '../../contract/errors.js';
import type { Message } from '../../contract/model-call.js';
import type { TurnRequest } from './turn-request.js';
import type { Bridge } from '../kernel/bridge.js';
import { declaredAgents } from './agent-declaration.js';
import { declaredContexts, type ContextDeclaration } from './context-declaration.js';
import { conversation, withoutTornCalls, type Entry } from './conversation.js';
import { byId, keep, readMessage, shownEntry, type HistoryFilter } from './history-filter.js';
import { pushJson, toJson } from '../values/marshal.js';
import type { Step } from '../scheduler/native.js';
import { fillTemplate, type TemplateValues } from './template.js';
import { lua, type LuaState } from '../vm/fengari.js';
import { historyDefault } from './history-default.js';

/** What a model is sent in a turn, before what the turn itself adds. */
export interface TurnMessages {
  /** What a Context adds to the system prompt. */
  system: string | null;
  before: Message[];
  /** Where the conversation so far is empty or ends with the model's own words, 0.10 says something to go on from. */
  opening: string | null;
}

/** The part of the conversation that the agent sees, filtered as it says, inside of its Context. */
export function* turnMessages(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  values: TemplateValues,
): Generator<Step, TurnMessages, unknown> {
  const { agent } = turn;
  const byDefault = historyDefault.of(bridge);
  let entries: (Entry | Message)[] = sourceOf(bridge, L, turn, byDefault.source);
  for (const filter of [agent.filter, byDefault.filter])
    if (filter !== null) entries = yield* applyFilter(bridge, L, entries, filter, values);
  const history = withoutTornCalls(entries.map((each) => ('message' in each ? each.message : each)));
  const context = contextOf(bridge, turn);
  const surrounded =
    context === null ? { system: null, before: history } : surround(bridge, context, history, values);
  const { role } = surrounded.before.at(-1) ?? {};
  const opening =
    role === undefined || role === 'system' ? 'Hello' : role === 'assistant' ? 'Continue' : null;
  return { ...surrounded, opening: agent.isOlder ? opening : null };
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
  if (filter.kind !== 'function') return keep(known, filter);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, filter.body);
  pushJson(L, known.map(shownEntry));
  const { input, context, prepared } = values;
  pushJson(L, { input, context, prepared });
  yield { call: 2, results: 1 };
  const kept = toJson(L, -1, bridge.limits.depth);
  lua.lua_pop(L, 1);
  if (!Array.isArray(kept))
    throw new TactusError('lua_error', 'a filter of messages must return a list of messages');
  const ids = byId(known);
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

/** Puts the history where the Context has it; at the end where it doesn't say. */
function surround(
  bridge: Bridge,
  { messages }: ContextDeclaration,
  history: Message[],
  values: TemplateValues,
): Omit<TurnMessages, 'opening'> {
  const system: string[] = [];
  const before: Message[] = [];
  for (const directive of messages) {
    if (directive.type === 'history') before.push(...history);
    else if (directive.type === 'context')
      throw new TactusError(
        'lua_error',
        `context(${directive.name}) needs a retriever, and there are none yet; put the text in with user(…)`,
      );
    else {
      const params = { ...values.params, ...directive.values };
      const content = fillTemplate(directive.template, { ...values, params }, bridge.limits.payloadBytes);
      if (directive.type === 'system') system.push(content);
      else before.push({ role: directive.type, content });
    }
  }
  if (!messages.some(({ type }) => type === 'history')) before.push(...history);
  return { system: system.length === 0 ? null : system.join('\n\n'), before };
}
