import { TactusError } from '../../contract/errors.js';
import { isDeeper, type JsonValue } from '../../contract/json/json.js';
import { defaultLimits } from '../../contract/runs/limits.js';
import type { ModelCallResult } from '../../contract/models/model-call.js';

/**
 * The value of an answer that had to be JSON.
 * @throws TactusError model_call_failed where it is none, or nested too deep to be kept
 */
export function parseAnswer({ text, finishReason }: ModelCallResult): JsonValue {
  const value = parse(text);
  if (value === undefined)
    throw new TactusError(
      'model_call_failed',
      `the model's answer is no JSON (it ended by ${finishReason}): ${text.slice(0, 120)}`,
    );
  if (isDeeper(value, defaultLimits.depth))
    throw new TactusError(
      'model_call_failed',
      `the model's answer is nested too deep: ${text.slice(0, 120)}`,
    );
  return value;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
