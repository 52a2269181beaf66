import { isObject, type JsonValue } from '../../contract/json/json.js';

/**
 * An answer by Chat Completions with the arguments of tools as the text that its protocol has them as: some servers give the
 * object itself, or nothing.
 */
export function withTextArguments(body: string): string {
  if (!body.includes('"tool_calls"')) return body;
  const answer = JSON.parse(body) as JsonValue;
  if (!isObject(answer) || !Array.isArray(answer['choices'])) return body;
  let isChanged = false;
  for (const choice of answer['choices']) {
    for (const part of ['message', 'delta'])
      for (const called of functionsIn(choice, part)) {
        const given = called['arguments'];
        // A piece of a stream may have none.
        if (typeof given === 'string' || ((given ?? null) === null && part === 'delta')) continue;
        called['arguments'] = JSON.stringify(given ?? {});
        isChanged = true;
      }
  }
  return isChanged ? JSON.stringify(answer) : body;
}

function functionsIn(choice: JsonValue, part: string): Record<string, JsonValue>[] {
  const said = isObject(choice) ? (choice[part] ?? null) : null;
  const calls = isObject(said) ? said['tool_calls'] : null;
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call) => {
    const called = isObject(call) ? (call['function'] ?? null) : null;
    return isObject(called) ? [called] : [];
  });
}
