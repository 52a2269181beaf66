import { TactusError } from '../../contract/errors.js';
import type { HumanAnswer, HumanAsk } from '../../contract/people/human-request.js';
import type { JsonValue } from '../../contract/json/json.js';

/**
 * What the procedure gets of an answer.
 * @throws TactusError request_withdrawn, wait_timed_out
 */
export function answerOf({ message, policy }: HumanAsk, answer: HumanAnswer): JsonValue {
  const { value, timed_out: isLate, withdrawn, by, comment } = answer;
  if (withdrawn === true) {
    const why = comment === null || comment === '' ? '' : `: ${comment}`;
    throw new TactusError('request_withdrawn', `${message}: ${by ?? 'somebody'} took the request back${why}`);
  }
  if (isLate && policy?.onTimeout === 'error')
    throw new TactusError('wait_timed_out', `${message}: nobody decided in time`);
  return value;
}
