import { digestOf } from '../../contract/effects/digest.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { Message } from '../../contract/models/model-call.js';
import { declaredAgents } from './agent-declaration.js';
import type { Bridge } from '../kernel/bridge.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { currentFrame } from '../scheduler/frame.js';
import { mockedTurn } from './mocked-turn.js';
import type { Step } from '../scheduler/native.js';
import { afford } from '../budgets/afford.js';
import { stopOf } from '../budgets/exhausted.js';
import { skillDigests, skillsManifest } from '../tools/skills.js';
import { systemPrompt, templateValues } from './prompt.js';
import { fillTemplate } from './template.js';
import { turnBudgets } from './turn-budgets.js';
import { turnMessages } from './turn-messages.js';
import type { TurnRequest } from './turn-request.js';
import { TurnConversation } from './turn-conversation.js';
import { TurnProgress } from './turn-progress.js';
import { askUntilDone } from './ask-until-done.js';
import type { TurnResult } from './turn-result.js';
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
  const given = yield* checkpointed(bridge, L, spec, () => converse(bridge, L, turn, title));
  const result = withMessages(turn, given as TurnResult);
  const said = conversation.of(bridge, L);
  if (turn.mode !== 'isolated') {
    const messages = result.messages as unknown as Message[];
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
  return { ...given, messages } as unknown as TurnResult;
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
  const base = [prompt, manifest].filter((text) => text !== null).join('\n\n') || null;
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
    return yield* askUntilDone(bridge, L, turn, { title, system }, come);
  } catch (error) {
    const stop = stopOf(error);
    if (stop === null) throw error;
    return come.stopped(stop);
  }
}
