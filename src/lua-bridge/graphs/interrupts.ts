import { TactusError } from '../../contract/errors.js';
import type { Interrupt } from '../../contract/graphs/super-step.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { Bridge, Step } from '../kernel/index.js';
import { humanKinds } from '../people/human-kinds.js';
import { askPeople } from '../people/human-primitive.js';
import { readAsk } from '../people/read-ask.js';

/** A node that is at work, and the waits that it has had. */
export interface OpenNode {
  node: string;
  interrupts: Interrupt[];
}

/**
 * Waits for whoever resumes the graph, and gives what they said.
 * @param options as those of `Human.input`
 * @throws TactusError human_request_invalid, wait_timed_out
 */
export function* interrupt(
  bridge: Bridge,
  { node, interrupts }: OpenNode,
  reason: string,
  payload: JsonValue,
  options: JsonObject,
): Generator<Step, JsonValue, unknown> {
  const ask = askOf(bridge, { ...options, message: reason, context: payload });
  interrupts.push({ node, reason, payload });
  return yield* askPeople(humanKinds.input, ask);
}

/** @throws TactusError human_request_invalid */
function askOf({ holds }: Bridge, fields: JsonObject): ReturnType<typeof readAsk> {
  try {
    return { ...readAsk(holds, 'interrupt', humanKinds.input, fields), form: { type: 'any' } };
  } catch (error) {
    if (!(error instanceof TactusError)) throw error;
    throw new TactusError(error.code, error.message.replace(/^Human\./, 'Graph.'), error.details);
  }
}
