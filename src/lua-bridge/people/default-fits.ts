import type { HumanAsk } from '../../contract/people/human-request.js';
import { readAnswerValue } from '../../contract/people/ledger.js';
import { invalid } from './human-fields.js';

/**
 * A default is what the procedure gets instead of an answer, and must be one.
 * @throws TactusError human_request_invalid
 */
export function assertDefaultFits(
  call: string,
  ask: Pick<HumanAsk, 'kind' | 'options' | 'form' | 'metadata' | 'default'>,
): void {
  if (ask.default === null || ask.kind === 'escalation') return;
  const read = readAnswerValue(ask, ask.default);
  if (typeof read === 'string') throw invalid(call, `has a default that is no answer: ${read}`);
}
