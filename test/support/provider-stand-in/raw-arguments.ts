import type { JsonValue } from '../../../src/contract/json/json.js';

type Reviver = (key: string, value: unknown) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** Arguments as an object that is sent with the digits that were written. */
export function rawArguments(text: string): JsonValue {
  const revive = (_: string, value: unknown, { source }: { source?: string }): unknown =>
    typeof value === 'number' && source !== undefined ? rawJSON(source) : value;
  return JSON.parse(text, revive as Reviver) as JsonValue;
}
