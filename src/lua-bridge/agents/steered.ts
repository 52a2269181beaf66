import type { SteeringTaken } from '../../contract/effects/steer.js';
import type { Message } from '../../contract/model-call.js';
import type { Bridge } from '../kernel/bridge.js';
import { currentFrame, upcomingPosition } from '../scheduler/frame.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';

/** What people have said to an agent at work since it was looked last: a checkpoint, where there is something. */
export function* steered(bridge: Bridge, L: LuaState, agent: string): Generator<Step, Message[], unknown> {
  if (!isThere(bridge, L, agent)) return [];
  const effect = { kind: 'steer', agent } as const;
  const { messages } = (yield { effect: { type: 'steering', name: agent, effect } }) as SteeringTaken;
  return messages.map(({ message }) => ({ role: 'user', content: message }));
}

/** What the log has at this place counts: there it was, or was not, whatever is there now. */
function isThere(bridge: Bridge, L: LuaState, agent: string): boolean {
  if (!bridge.holds('steering')) return false;
  const recorded = bridge.log.carriedAt(upcomingPosition(currentFrame(L)));
  return recorded === null ? bridge.isSteered(agent) : recorded.type === 'steering';
}
