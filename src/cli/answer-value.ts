import { TactusError } from '../contract/errors.js';
import type { HumanRequest } from '../contract/human-request.js';
import type { JsonValue } from '../contract/json.js';

const yes = ['y', 'yes', 'true'];
const no = ['n', 'no', 'false'];

/**
 * What a person typed, as the value of a decision: y and n for an approval, else the text as it is. An object, a list
 * or a quoted text is taken as JSON.
 * @throws TactusError usage
 */
export function answerValue(request: Pick<HumanRequest, 'kind' | 'id'> | null, text: string): JsonValue {
  const typed = text.trim();
  if (/^[[{"]/.test(typed)) {
    const json = parse(typed);
    if (json !== undefined) return json;
  }
  const word = typed.toLowerCase();
  // Without the request at hand, what looks like an approval is one.
  if (request === null || request.kind === 'approval') {
    if (yes.includes(word)) return true;
    if (no.includes(word)) return false;
  }
  if (request?.kind === 'approval')
    throw new TactusError(
      'usage',
      `${request.id} is an approval: answer y or n, not ${JSON.stringify(text)}`,
    );
  return typed;
}

/** An answer that was given beforehand: JSON, or what a person would type. */
export function givenAnswer(request: Pick<HumanRequest, 'kind' | 'id'>, text: string): JsonValue {
  const json = parse(text);
  return json === undefined || (request.kind === 'approval' && typeof json === 'string')
    ? answerValue(request, json === undefined ? text : String(json))
    : json;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
