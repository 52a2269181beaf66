import type { Checkpoint } from '../contract/checkpoints/checkpoint.js';
import { cutMessage } from '../contract/text/cut-message.js';
import { isObject, jsonSize, type JsonObject, type JsonValue } from '../contract/json/json.js';

/** What is kept of what was asked, in bytes: of all of it, and of one of its fields. */
const longest = { input: 2_000, field: 500 } as const;

/**
 * A log as another execution needs it. Results stay whole, and the checkpoints below a closed frame stay as well: its body
 * runs again, for what it does to the state, and asks for them. What was asked is compared by its digest; it itself is for
 * people alone, and cut where it is long.
 */
export function compact(log: readonly Checkpoint[]): Checkpoint[] {
  return log.map((checkpoint) =>
    jsonSize(checkpoint.input) <= longest.input
      ? checkpoint
      : { ...checkpoint, input: cutInput(checkpoint.input) },
  );
}

function cutInput(input: JsonValue): JsonValue {
  if (!isObject(input)) return cutField(input);
  const cut: JsonObject = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, cutField(value)]),
  );
  return jsonSize(cut) <= longest.input ? cut : noteOf(input);
}

function cutField(value: JsonValue): JsonValue {
  if (jsonSize(value) <= longest.field) return value;
  return typeof value === 'string' ? cutMessage(value, longest.field) : noteOf(value);
}

function noteOf(value: JsonValue): JsonObject {
  return { note: `${jsonSize(value)} bytes, left out when the run continued as new` };
}
