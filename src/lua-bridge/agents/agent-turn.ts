import { digestOf } from '../../contract/digest.js';
import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import { jsonAnswer } from '../../contract/json-answer.js';
import type { Message, ModelCallResult } from '../../contract/model-call.js';
import { declaredAgents, outputSchema } from './agent-declaration.js';
import type { Bridge } from '../kernel/bridge.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { currentFrame } from '../scheduler/frame.js';
import { mockedTurn } from './mocked-turn.js';
import type { Step } from '../scheduler/native.js';
import { afford } from '../spending/afford.js';
import { stopOf, type Exhausted } from '../budgets/exhausted.js';
import { askMended } from '../models/ask-mended.js';
import { parseAnswer } from '../models/parse-answer.js';
import { checkValue } from '../values/schema.js';
import { skillDigests, skillsManifest } from '../tools/skills.js';
import { systemPrompt, templateValues } from './prompt.js';
import { fillTemplate } from './template.js';
import { toolSpec } from '../tools/tool-spec.js';
import { runTools } from './run-tools.js';
import { turnBudgets } from './turn-budgets.js';
import { turnMessages } from './turn-messages.js';
import type { TurnRequest } from './turn-request.js';
import { addCost, type TurnCost, type TurnResult } from './turn-result.js';
import type { LuaState } from '../vm/fengari.js';
import { conversation } from './conversation.js';
import { mocks } from '../mocks/mocks.js';
import { progress } from '../progress/progress.js';
import { observed } from '../specifications/observed.js';

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
  const step = currentFrame(L).scope.step;
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
    scope: { isRecorded: true, budgets: turnBudgets(bridge, L, turn) },
    title,
  } as const;
  const result = (yield* checkpointed(bridge, L, spec, () => converse(bridge, L, turn, title))) as TurnResult;
  const said = conversation.of(bridge, L);
  if (turn.mode !== 'isolated')
    for (const message of result.messages as unknown as Message[]) said.add(message, agent, bridge.now());
  said.endTurn(agent, { output: result.output, usage: result.usage, cost: result.cost ?? null });
  return result;
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
  const { system: context, before, opening } = yield* turnMessages(bridge, L, turn, values);
  const { skills, isFull } = agent.skills;
  const manifest = skillsManifest(skills, isFull);
  const system = [prompt, manifest, context].filter((text) => text !== null).join('\n\n') || null;
  const added: Message[] = [];
  const hasSpoken = turn.mode !== 'isolated' && conversation.of(bridge, L).hasSpoken(agent);
  const initial = hasSpoken ? null : agent.initialMessage;
  const first =
    (turn.message === '' ? null : turn.message) ??
    (initial === null ? opening : fillTemplate(initial, values, bridge.limits.payloadBytes));
  const noticed = observed(bridge);
  if (noticed !== null) noticed.agentTurns[turn.name] = (noticed.agentTurns[turn.name] ?? 0) + 1;
  const isOnly = declaredAgents.of(bridge).length === 1;
  const mock = mocks.of(bridge).turn(turn.name, { ...agent, isOnly }, turn.message);
  const progressed: Progressed = { added, usage: emptyUsage(), cost: { prompt_cost: 0, completion_cost: 0 } };
  try {
    yield* afford(bridge, L, { what: `a turn of ${turn.name}`, turns: 1 });
    if (mock !== null) return yield* mockedTurn(bridge, L, turn, mock, first);
    if (first !== null) added.push({ role: 'user', content: first });
    return yield* askUntilDone(bridge, L, turn, { title, system, before }, progressed);
  } catch (error) {
    const stop = stopOf(error);
    if (stop === null) throw error;
    return stoppedTurn(progressed, stop);
  }
}

/** How far a turn has come. */
interface Progressed {
  /** What it adds to the conversation. */
  added: Message[];
  usage: TurnResult['usage'];
  cost: TurnCost | null;
}

function* askUntilDone(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  { title, system, before }: { title: string; system: string | null; before: readonly Message[] },
  progressed: Progressed,
): Generator<Step, TurnResult, unknown> {
  const { agent } = turn;
  const { added } = progressed;
  const rounds = Math.min(agent.rounds ?? bridge.limits.turnRounds, bridge.limits.turnRounds);
  for (let round = 0; round < rounds; round++) {
    const call = {
      agent: turn.name,
      system,
      messages: [...before, ...added],
      tools: turn.tools.map(toolSpec),
      outputSchema: outputSchema(agent.output),
      ...(turn.isLenient ? ({ isLenient: true } as const) : {}),
      settings: turn.settings,
    };
    const read = (given: ModelCallResult): JsonValue => readOutput(turn, given);
    const answer = yield* askMended(bridge, L, { name: turn.name, title, call }, turn.models, read);
    addAnswer(progressed, answer);
    const { text, toolCalls } = answer;
    added.push({ role: 'assistant', content: text, ...(toolCalls.length === 0 ? {} : { toolCalls }) });
    const called = toolCalls.length === 0 ? null : yield* runTools(bridge, L, turn, toolCalls);
    added.push(...(called?.messages ?? []));
    const isDone = called === null || toolCalls.some((each) => each.name === 'done');
    if (!isDone && called.exhausted !== null) return stoppedTurn(progressed, called.exhausted);
    if (isDone)
      return {
        output: readOutput(turn, answer),
        ...endOf(progressed),
        ...(answer.confidences === undefined ? {} : { confidences: { ...answer.confidences } }),
      };
  }
  throw new TactusError(
    'model_call_failed',
    `${turn.name} still calls tools after ${rounds} rounds of one turn`,
  );
}

function addAnswer(progressed: Progressed, { usage: paid }: ModelCallResult): void {
  const { usage } = progressed;
  usage.prompt_tokens += paid.input_tokens;
  usage.completion_tokens += paid.output_tokens;
  usage.total_tokens = usage.prompt_tokens + usage.completion_tokens;
  progressed.cost = addCost(progressed.cost, paid);
}

function emptyUsage(): TurnResult['usage'] {
  return { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
}

function endOf({ added, usage, cost }: Progressed): Pick<TurnResult, 'usage' | 'cost' | 'messages'> {
  return {
    usage,
    ...(cost === null ? {} : { cost: { ...cost } }),
    messages: added as unknown as JsonValue,
  };
}

/** What the model has said last is the output of a turn that stopped; one that never heard of its model leaves no trace. */
function stoppedTurn(progressed: Progressed, stop: Exhausted): TurnResult {
  const said = progressed.added.filter(({ role }) => role === 'assistant').at(-1);
  const heard = said === undefined ? { ...progressed, added: [] } : progressed;
  return { output: said?.content || null, ...endOf(heard), exhausted: stop };
}

/** The JSON that the text is, which must fit the agent's schema where it has one; else the text. */
function readOutput({ agent, isLenient }: TurnRequest, answer: ModelCallResult): JsonValue {
  const { text, isJson } = answer;
  if (agent.output === null) return (isJson === true && !agent.isLowerCase ? jsonAnswer(text) : null) ?? text;
  try {
    return checkValue(agent.output, parseAnswer(answer), {
      code: 'model_call_failed',
      unknown: 'keep',
      requireAll: true,
    });
  } catch (error) {
    if (isLenient && error instanceof TactusError) return text;
    throw error;
  }
}
