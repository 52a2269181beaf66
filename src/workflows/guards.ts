import type { EffectRequest } from '../contract/effects.js';
import { TactusError } from '../contract/errors.js';
import { jsonSize, type JsonValue } from '../contract/json.js';
import type { Limits } from '../contract/limits.js';

/**
 * Refuses an effect whose command the server would refuse: it would fail the workflow task again and again, 15 times
 * a second, and the run would be stuck without a word.
 * @throws TactusError payload_too_large
 */
export function checkSize({ effect, name }: EffectRequest, limits: Limits): void {
  const size = jsonSize(effect as unknown as JsonValue);
  if (size > limits.payloadBytes)
    throw new TactusError(
      'payload_too_large',
      `${name}: ${size} bytes are more than the ${limits.payloadBytes} that can be sent`,
    );
}
