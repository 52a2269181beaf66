import { getOwn, isObject, type JsonValue } from '../../contract/json/json.js';
import { Fault } from '../retries/failures.js';

/**
 * The part of an answer that a path of names and numbers (from 0) leads to: `predictions.0.label`.
 * @throws Fault naming where the path ends, and what is there instead
 */
export function answerPart(answer: JsonValue, path: string): JsonValue {
  let part = answer;
  const names = path.split('.');
  for (const [i, name] of names.entries()) {
    const next = partOf(part, name);
    if (next === undefined) {
      const where = i === 0 ? 'the answer' : `${names.slice(0, i).join('.')} of the answer`;
      throw new Fault(`${where} has no ${JSON.stringify(name)}: ${JSON.stringify(part).slice(0, 200)}`, {
        retryable: false,
        isAnswer: true,
      });
    }
    part = next;
  }
  return part;
}

function partOf(part: JsonValue, name: string): JsonValue | undefined {
  // An empty name is no number, whatever JavaScript makes of it.
  if (Array.isArray(part)) return /^\d+$/.test(name) ? part[Number(name)] : undefined;
  return isObject(part) ? getOwn(part, name) : undefined;
}
