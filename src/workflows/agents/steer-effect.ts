import { jsonAs } from '../../contract/json/json.js';
import type { Steering } from '../../contract/agents/steer-effect.js';
import { performing } from '../effects/effect-kind.js';
import { SteeringQueue, steeringOf } from './steering.js';

/** Gives an agent what has been said to it, at once. */
export const steer = performing('steer', {
  perform(context, opened, { agent }) {
    opened.answer(steeringOf(context).take(agent));
  },
  openState: (sequence, handed) => new SteeringQueue(sequence, jsonAs<Steering[]>(handed ?? [])),
});
