import { TactusError } from '../../../contract/errors.js';
import type { HumanRequest } from '../../../contract/people/human-request.js';
import type { JsonObject, JsonValue } from '../../../contract/json/json.js';
import { answerValue } from '../answer-value.js';

/**
 * What was answered on the control socket, as the value of a decision: an approval and a choice as they are, a text as one types it
 * behind `respond`.
 * @throws TactusError usage where the text is no answer to this request
 */
export function decisionValue(request: HumanRequest, { value = null }: JsonObject): JsonValue {
  if (typeof value !== 'string' || request.kind === 'approval') return value;
  if (value === '' && request.kind !== 'escalation') throw new TactusError('usage', 'An answer is needed');
  return answerValue(request, value);
}
