import { digestOf } from '../../contract/effects/digest.js';
import { asJson, isObject, jsonAs, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { jsonAnswer, type Message } from '../../contract/models/model-call.js';
import { declaredAgents, type AgentDeclaration } from './agent-declaration.js';
import { BudgetScope, currentFrame, PerRun, type Bridge, type LuaState, type Step } from '../kernel/index.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { afford, stopOf } from '../budgets/afford.js';
import { byDeadline } from '../checkpoints/in-time.js';
import { lasting, within } from '../budgets/run-budgets.js';
import { builtInTool, skillDigests, skillsManifest } from '../tools/built-in-tools.js';
import { recordCall } from '../tools/tool-call.js';
import { declaredTools, newTool, toolOfName, type ToolDeclaration } from '../tools/tool-declaration.js';
import { systemPrompt, templateValues, turnMessages } from './turn-messages.js';
import { fillTemplate, type TurnRequest } from './turn-request.js';
import { TurnConversation, TurnProgress, type TurnResult } from './turn-progress.js';
import { runAgentLoop } from './agent-loop.js';
import { conversation } from './conversation.js';
import { mocks } from '../mocks/mocks.js';
import { progress } from '../progress/progress.js';
import { observed } from '../specifications/specifications.js';
import type { MockTurn } from '../../contract/mocks/mock-plan.js';

/**
 * One turn of an agent: asks the model, runs the tools that it asks for (side by side where it asks for several), and
 * asks again with their results, until it answers in words or says that it is done.
 */
export function* agentTurn(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
): Generator<Step, TurnResult, unknown> {
  const { agent, name } = turn;
  const title = `${name} · turn ${progress.of(bridge).beginTurn(name)}`;
  const { step, luaCalls: outer = null } = currentFrame(L).scope;
  const luaCalls = { isAny: false, outer };
  const input = {
    message: turn.message,
    ...(Object.keys(turn.params).length === 0 ? {} : { params: turn.params }),
    ...(agent.skills.skills.length === 0 ? {} : { skills: skillDigests(agent.skills.skills) }),
  };
  const spec = {
    type: 'agent_turn',
    name: step === null ? name : `${step}.${name}`,
    input,
    digest: digestOf(input),
    compared: {
      data: { message: turn.message, params: turn.params },
      settings: { skills: input.skills ?? null },
    },
    scope: { isRecorded: true, budgets: turnBudgets(bridge, L, turn), luaCalls },
    title,
    // What it says is added to the conversation from its result; a function of the procedure may have changed anything.
    isWhole: bridge.holds('whole-turns') ? () => !luaCalls.isAny : false,
  } as const;
  const given = yield* checkpointed(bridge, L, spec, () =>
    byDeadline(bridge, L, `a turn of ${name}`, turn.deadline, (thread) =>
      converse(bridge, thread, turn, title),
    ),
  );
  const result = withMessages(turn, given as TurnResult);
  const said = conversation.of(bridge, L);
  if (turn.mode !== 'isolated') {
    const messages = jsonAs<Message[]>(result.messages);
    const ids = messages.map((message) => said.add(message, agent, bridge.now()).id);
    if (result.compacted !== undefined) {
      const { summary, up_to: last, added } = result.compacted;
      said.sumUp(agent, { summary, upTo: ids[added - 1] ?? last ?? 0 });
    }
  }
  said.endTurn(agent, { output: result.output, usage: result.usage, cost: result.cost ?? null });
  return result;
}

/** Of a turn that was recorded elsewhere as a whole its end is known: what was said is what it was asked, and its output. */
function withMessages({ message, agent }: TurnRequest, given: Partial<TurnResult> & JsonObject): TurnResult {
  if (given.messages !== undefined) return given as TurnResult;
  const { output = null } = given;
  const asked = message ?? agent.initialMessage;
  const messages: Message[] = [
    ...(asked === null ? [] : [{ role: 'user' as const, content: asked }]),
    { role: 'assistant', content: typeof output === 'string' ? output : JSON.stringify(output) },
  ];
  return { ...given, messages: asJson(messages) } as TurnResult;
}

function* converse(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  title: string,
): Generator<Step, JsonValue, unknown> {
  const { agent } = turn;
  const values = yield* templateValues(bridge, L, turn);
  const prompt = yield* systemPrompt(bridge, L, turn, values);
  const { skills, isFull } = agent.skills;
  const manifest = skillsManifest(skills, isFull);
  const guidance = new Set(turn.tools.flatMap((each) => each.guidance ?? []));
  const base = [prompt, manifest, ...guidance].filter((text) => text !== null).join('\n\n') || null;
  const { system, surrounded, idOf, opening } = yield* turnMessages(bridge, L, turn, values, base);
  const come = new TurnProgress(new TurnConversation(surrounded), idOf);
  const hasSpoken = turn.mode !== 'isolated' && conversation.of(bridge, L).hasSpoken(agent);
  const initial = hasSpoken ? null : agent.initialMessage;
  const first =
    (turn.message === '' ? null : turn.message) ??
    (initial === null ? opening : fillTemplate(initial, values, bridge.limits.payloadBytes));
  const noticed = observed(bridge);
  if (noticed !== null) noticed.agentTurns[turn.name] = (noticed.agentTurns[turn.name] ?? 0) + 1;
  const isOnly = declaredAgents.of(bridge).length === 1;
  const mock = mocks.of(bridge).turn(turn.name, { ...agent, isOnly }, turn.message);
  try {
    yield* afford(bridge, L, { what: `a turn of ${turn.name}`, turns: 1 });
    if (mock !== null) return yield* mockedTurn(bridge, L, turn, mock, first);
    if (first !== null) come.said.ask({ role: 'user', content: first });
    return yield* runAgentLoop(bridge, L, turn, { title, system }, come);
  } catch (error) {
    const stop = stopOf(error);
    if (stop === null) throw error;
    return come.stopped(stop);
  }
}

/** A turn without a model: the mock's words are the answer, and the tools that it calls are recorded, not run. */
function* mockedTurn(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  mock: MockTurn,
  message: string | null,
): Generator<Step, JsonValue, unknown> {
  const text = mock.message ?? '';
  const messages: Message[] = message === null ? [] : [{ role: 'user', content: message }];
  if (text !== '') messages.push({ role: 'assistant', content: text });
  for (const { tool: name, args } of mock.tool_calls ?? []) yield* recordTool(bridge, L, turn, name, args);
  return {
    output: outputOf(turn, mock, text),
    usage: usageOf(mock),
    messages: asJson(messages),
  };
}

function* recordTool(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  name: string,
  given: JsonValue | undefined,
): Generator<Step, void, unknown> {
  const args: JsonValue = isObject(given ?? null) ? (given as JsonValue) : {}; // an empty table of Lua's is a list
  const tool = toolOf(bridge, turn, name);
  const spec = { type: 'tool_call', name, input: args, digest: digestOf(args) } as const;
  const result = yield* checkpointed(bridge, L, spec, function* () {
    const mocked = mocks.of(bridge).result(name, args, 'tool_failed');
    if (mocked !== null) return mocked.value;
    if (tool.isInRun && tool.perform !== null) return yield* tool.perform(L, args);
    return tool.answer?.(args) ?? { tool: name, args };
  });
  recordCall(bridge, tool, name, { args, result });
}

/** A mock may call what nobody declared; it is known from then on. */
function toolOf(bridge: Bridge, turn: TurnRequest, name: string): ToolDeclaration {
  const offered = turn.tools.find((each) => each.name === name)?.tool;
  const known = offered ?? toolOfName(bridge, name) ?? builtInTool(bridge, name);
  if (known !== null) return known;
  const tool = newTool(name);
  declaredTools.add(bridge, tool, true);
  return tool;
}

/** The mock's data, where the agent declares a schema; else its words, which may be JSON then. */
function outputOf({ agent }: TurnRequest, { data }: MockTurn, text: string): JsonValue {
  if (agent.output === null) return (agent.isLowerCase ? null : jsonAnswer(text)) ?? text;
  if (isObject(data ?? null) && Object.keys(data ?? {}).length > 0) return data as JsonValue;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function usageOf({ usage = {} }: MockTurn): JsonValue {
  const count = (key: string): number => (typeof usage[key] === 'number' ? usage[key] : 0);
  const prompt_tokens = count('prompt_tokens');
  const completion_tokens = count('completion_tokens');
  const total_tokens = count('total_tokens') || prompt_tokens + completion_tokens;
  return { prompt_tokens, completion_tokens, total_tokens };
}

/** What agents may use in all of their turns, as far as they have had one. */
export const agentBudgets = new PerRun(() => new Map<AgentDeclaration, BudgetScope>(), 'elsewhere');

/** Those around a turn, with its own and its agent's. */
function turnBudgets(
  bridge: Bridge,
  L: LuaState,
  { agent, name, budget }: TurnRequest,
): readonly BudgetScope[] {
  const around = within(bridge, L, `a turn of ${name}`, budget);
  if (agent.budget === null) return around;
  const known = agentBudgets.of(bridge);
  const own =
    known.get(agent) ?? lasting(bridge, `agent ${name}`, new BudgetScope(name, agent.budget, bridge.now()));
  known.set(agent, own);
  return [...around, own];
}
