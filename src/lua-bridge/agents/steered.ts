import { effectDigest } from '../../contract/effects/effect-digest.js';
import type { SteeringTaken } from '../../contract/agents/steer-effect.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { Message } from '../../contract/models/model-call.js';
import { recorded } from '../checkpoints/checkpointed.js';
import type { Bridge } from '../kernel/bridge.js';
import { currentFrame, upcomingPosition } from '../scheduler/frame.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';

/** What people have said to an agent at work since it was looked last: a checkpoint, where there is something. */
export function* steered(bridge: Bridge, L: LuaState, agent: string): Generator<Step, Message[], unknown> {
  if (!bridge.holds('steering')) return [];
  const { messages } = yield* bridge.holds('reads-of-the-log')
    ? taken(bridge, L, agent)
    : askedFor(bridge, L, agent);
  return messages.map(({ message }) => ({ role: 'user', content: message }));
}

/**
 * Takes it in the moment in which it is seen, and records that. So what hasn't been taken was seen by nobody, and a replay
 * sees nothing but what the log has, until something new has ended.
 */
function* taken(bridge: Bridge, L: LuaState, agent: string): Generator<Step, SteeringTaken, unknown> {
  const { log } = bridge;
  const position = upcomingPosition(currentFrame(L));
  const carried = log.carriedAt(position);
  const isThere =
    carried === null ? log.isBeyondCarried && bridge.isSteered(agent) : carried.type === 'steering';
  if (!isThere) return { messages: [] };
  // Older engines recorded it later than they saw it.
  if (carried !== null && log.next?.position !== position) return yield* askedFor(bridge, L, agent);
  const digest = effectDigest({ kind: 'steer', agent }, 1);
  const spec = { type: 'steering', name: agent, input: { agent }, digest } as const;
  const value = (): JsonValue =>
    carried === null ? (bridge.takeSteering(agent) as unknown as JsonValue) : { messages: [] };
  return (yield* recorded(bridge, L, spec, value)) as unknown as SteeringTaken;
}

/** As an effect of its own. What the log has at this place counts: there it was, or was not, whatever is there now. */
function* askedFor(bridge: Bridge, L: LuaState, agent: string): Generator<Step, SteeringTaken, unknown> {
  const carried = bridge.log.carriedAt(upcomingPosition(currentFrame(L)));
  const isThere = carried === null ? bridge.isSteered(agent) : carried.type === 'steering';
  if (!isThere) return { messages: [] };
  const effect = { kind: 'steer', agent } as const;
  return (yield { effect: { type: 'steering', name: agent, effect } }) as SteeringTaken;
}
