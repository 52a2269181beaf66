import type { JsonValue } from '../../../../src/contract/json/json.js';

/** One piece of a conversation, whatever the protocol. */
export type Said =
  | { by: string; text: string }
  | { call: string; name: string; arguments: JsonValue }
  | { resultOf: string; text: string };

/**
 * A conversation as lines: `user: Hello`, `call 1 lookup {"id":7}`, `result 1: shipped`. Calls are numbered, since ids may be
 * anything; a result has the number of the call with its id.
 * @throws Error where two calls have one id
 */
export function linesOf(said: readonly Said[]): string[] {
  const numbers = new Map<string, number>();
  return said.map((each) => {
    if ('by' in each) return `${each.by}: ${each.text}`;
    if ('resultOf' in each) return `result ${numbers.get(each.resultOf)}: ${each.text}`;
    if (numbers.has(each.call)) throw new Error(`two calls have the id ${each.call}`);
    numbers.set(each.call, numbers.size + 1);
    return `call ${numbers.size} ${each.name} ${JSON.stringify(each.arguments)}`;
  });
}
