import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonValue } from '../../contract/json/json.js';

/** What a procedure may ask of its host without any configuration. */
const functions: Record<string, (args: JsonValue) => JsonValue> = {
  'host.ping': (args) => ({ ok: true, echo: args }),
  'host.echo': (args) => ({ echo: args }),
};

/** @throws TactusError tool_failed where the host has no such function */
export function hostCall(name: string, args: JsonValue): JsonValue {
  const fn = getOwn(functions, name);
  if (fn === undefined)
    throw new TactusError(
      'tool_failed',
      `the host has no '${name}'; there are: ${Object.keys(functions).join(', ')}`,
    );
  return fn(isObject(args) ? args : {});
}
