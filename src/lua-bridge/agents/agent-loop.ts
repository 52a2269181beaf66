import type { SteeringTaken } from '../../contract/agents/steer-effect.js';
import { effectDigest } from '../../contract/effects/effects.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import { asJson, defined, jsonAs, type JsonValue } from '../../contract/json/json.js';
import {
  jsonAnswer,
  type Message,
  type ModelCall,
  type ModelCallResult,
} from '../../contract/models/model-call.js';
import { checkpointed, recorded } from '../checkpoints/checkpointed.js';
import {
  checkValue,
  currentFrame,
  upcomingPosition,
  type Bridge,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { callModel, callModelWithRepairs, parseAnswer } from '../models/model-call.js';
import { modelOf } from '../models/model-choice.js';
import { toolSpec } from '../tools/tool-declaration.js';
import { outputSchema } from './agent-declaration.js';
import { defaultPrompt } from './history.js';
import type { TurnConversation, TurnProgress, TurnResult } from './turn-progress.js';
import type { TurnRequest } from './turn-request.js';
import {
  allowedTools,
  assertNotAlwaysCut,
  cutOffCalls,
  isProvided,
  logWithheld,
  runTools,
  toolOf,
} from './turn-tools.js';

/**
 * Asks the model, runs the tools that it calls and asks again, until it answers in words or says that it is done, and nobody has said
 * more to it meanwhile; or until one of the tools that end the turn has given something.
 */
export function* runAgentLoop(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  { title, system }: { title: string; system: string | null },
  progress: TurnProgress,
): Generator<Step, TurnResult, unknown> {
  const { agent, name } = turn;
  const { said } = progress;
  const providerTools = yield* allowedTools(bridge, L, turn);
  const plain = {
    agent: name,
    system,
    tools: turn.tools.filter((each) => !isProvided(bridge, each)).map(toolSpec),
    ...(providerTools.length === 0 ? {} : { providerTools }),
    outputSchema: outputSchema(bridge, agent.output),
    ...(turn.isLenient ? ({ isLenient: true } as const) : {}),
    ...(bridge.holds('thoughts') ? ({ keepsThoughts: true } as const) : {}),
    settings: chosenSettings(turn),
  };
  const withheld = new Set<string>();
  /** The tool that the model must call was asked for: it would be so for ever. */
  let isChosen = false;
  let timesCutOff = 0;
  const rounds = Math.min(agent.rounds ?? bridge.limits.turnRounds, bridge.limits.turnRounds);
  said.added.push(...(yield* steeringMessages(bridge, L, name)));
  for (let round = 0; round < rounds; round++) {
    for (const paid of yield* compact(bridge, L, turn, said, plain)) progress.pay(paid);
    const settings = isChosen ? withoutTool(plain.settings) : plain.settings;
    const call = { ...plain, settings, messages: said.messages };
    const answer = yield* unlessInterrupted(bridge, L, turn, title, call);
    let isAnswered = false;
    if (answer !== null) {
      isChosen = true;
      progress.pay(answer);
      progress.hear(answer);
      for (const each of answer.withheld ?? []) {
        // A worker withholds it in each round, and is told of in one.
        if (!withheld.has(each.name)) logWithheld(bridge, turn, each);
        withheld.add(each.name);
      }
      const { toolCalls } = answer;
      said.added.push(assistantMessage(answer));
      const cut = cutOffCalls(bridge, turn, answer);
      timesCutOff = cut === null ? 0 : timesCutOff + 1;
      assertNotAlwaysCut(bridge, turn, answer, timesCutOff);
      const called = toolCalls.length === 0 ? null : (cut ?? (yield* runTools(bridge, L, turn, toolCalls)));
      said.added.push(...(called?.messages ?? []));
      if (cut === null && toolCalls.some((each) => each.name === 'done'))
        return answered(turn, progress, answer);
      if (called !== null && called.exhausted !== null) return progress.stopped(called.exhausted);
      if (called !== null && called.stop !== null) return progress.ended(called.stop.value);
      isAnswered = called === null;
    }
    const more = yield* steeringMessages(bridge, L, name);
    if (answer !== null && isAnswered && more.length === 0) return answered(turn, progress, answer);
    said.added.push(...more);
  }
  throw new TactusError('model_call_failed', `${name} still calls tools after ${rounds} rounds of one turn`);
}

function assistantMessage({ text, toolCalls, thoughts }: ModelCallResult): Message {
  return {
    ...{ role: 'assistant', content: text },
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...defined({ thoughts }),
  };
}

/**
 * The settings, with the name under which the model sees the tool that it must call.
 * @throws TactusError tool_failed where the turn has no such tool
 */
function chosenSettings(turn: TurnRequest): ModelCall['settings'] {
  const { settings, tools, name } = turn;
  if (typeof settings.toolChoice !== 'object') return settings;
  const { tool } = settings.toolChoice;
  const chosen = toolOf(turn, tool);
  if (chosen !== undefined) return { ...settings, toolChoice: { tool: chosen.name } };
  const there = tools.map((each) => each.name).join(', ') || 'none';
  throw new TactusError('tool_failed', `${name}: tool_choice: there is no tool ${tool}; there are: ${there}`);
}

function withoutTool({ toolChoice, ...settings }: ModelCall['settings']): ModelCall['settings'] {
  return typeof toolChoice === 'object' || toolChoice === undefined ? settings : { ...settings, toolChoice };
}

function answered(turn: TurnRequest, progress: TurnProgress, answer: ModelCallResult): TurnResult {
  return {
    ...progress.ended(readOutput(turn, answer)),
    ...(answer.confidences === undefined ? {} : { confidences: { ...answer.confidences } }),
  };
}

/** The model's answer; null where somebody broke it off. */
function* unlessInterrupted(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  title: string,
  plain: Omit<ModelCall, 'model'>,
): Generator<Step, ModelCallResult | null, unknown> {
  const read = (given: ModelCallResult): JsonValue => readOutput(turn, given);
  const call = bridge.holds('steering') ? ({ ...plain, isInTurn: true } as const) : plain;
  try {
    return yield* callModelWithRepairs(bridge, L, { name: turn.name, title, call }, turn.models, read);
  } catch (error) {
    if (hasCode(error, 'interrupted')) return null;
    throw error;
  }
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

/** What people have said to an agent at work since it was looked last: a checkpoint, where there is something. */
function* steeringMessages(bridge: Bridge, L: LuaState, agent: string): Generator<Step, Message[], unknown> {
  if (!bridge.holds('steering')) return [];
  const { messages } = yield* bridge.holds('reads-of-the-log')
    ? takeSteering(bridge, L, agent)
    : steeringEffect(bridge, L, agent);
  return messages.map(({ message }) => ({ role: 'user', content: message }));
}

/**
 * Takes it in the moment in which it is seen, and records that. So what hasn't been taken was seen by nobody, and a replay
 * sees nothing but what the log has, until something new has ended.
 */
function* takeSteering(bridge: Bridge, L: LuaState, agent: string): Generator<Step, SteeringTaken, unknown> {
  const { log } = bridge;
  const position = upcomingPosition(currentFrame(L));
  const carried = log.carriedAt(position);
  const isThere =
    carried === null ? log.isBeyondCarried && bridge.isSteered(agent) : carried.type === 'steering';
  if (!isThere) return { messages: [] };
  // Older engines recorded it later than they saw it.
  if (carried !== null && log.next?.position !== position) return yield* steeringEffect(bridge, L, agent);
  const digest = effectDigest({ kind: 'steer', agent }, 1);
  const spec = { type: 'steering', name: agent, input: { agent }, digest } as const;
  const value = (): JsonValue => (carried === null ? asJson(bridge.takeSteering(agent)) : { messages: [] });
  return jsonAs<SteeringTaken>(yield* recorded(bridge, L, spec, value));
}

/** As an effect of its own. What the log has at this place counts: there it was, or was not, whatever is there now. */
function* steeringEffect(
  bridge: Bridge,
  L: LuaState,
  agent: string,
): Generator<Step, SteeringTaken, unknown> {
  const carried = bridge.log.carriedAt(upcomingPosition(currentFrame(L)));
  const isThere = carried === null ? bridge.isSteered(agent) : carried.type === 'steering';
  if (!isThere) return { messages: [] };
  const effect = { kind: 'steer', agent } as const;
  return (yield { effect: { type: 'steering', name: agent, effect } }) as SteeringTaken;
}

/** Fewer are not worth a call of a model. */
const fewest = 2;

/**
 * Sums the older part of a conversation up where it has become longer than its agent says: a checkpoint, with the model's
 * call in it. The model is sent what it knows already, and one question more.
 * @param call what the turn would ask next
 * @returns what was paid for it
 * @throws TactusError model_call_failed, budget_exhausted
 */
function* compact(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  said: TurnConversation,
  call: Omit<ModelCall, 'model' | 'messages'>,
): Generator<Step, ModelCallResult[], unknown> {
  const { compaction, model } = turn.agent;
  if (compaction === null || said.tokens <= compaction.over) return [];
  const older = said.olderThan(compaction.keep);
  const count = older.history + older.added;
  if (count < fewest) return [];
  const models =
    compaction.model === null ? turn.models : [modelOf(bridge, { ...model, model: compaction.model })];
  const question = { role: 'user', content: compaction.prompt ?? defaultPrompt } as const;
  const { maxTokens: __, ...settings } = call.settings;
  // Nothing is looked up for a summary, and nobody goes on from it.
  const { providerTools: _, keepsThoughts: ___, ...plain } = call;
  const asked = {
    ...plain,
    messages: [...said.messages, question],
    outputSchema: null,
    settings: { ...settings, ...(call.tools.length === 0 ? {} : { toolChoice: 'none' as const }) },
  };
  const { name } = turn;
  const spec = { type: 'compaction', name, input: { messages: count }, digest: '' } as const;
  const paid: ModelCallResult[] = [];
  const summary = (yield* checkpointed(bridge, L, spec, function* () {
    const answer = yield* callModel(bridge, L, { name, title: `${name} · summary`, call: asked }, models);
    paid.push(answer);
    if (answer.text.trim() === '')
      throw new TactusError(
        'model_call_failed',
        `${name}: ${answer.model} summed the conversation up in no word`,
      );
    return answer.text;
  })) as string;
  said.sumUp(summary, older);
  return paid;
}
