import type { Decision } from '../contract/decision.js';
import type { HumanRequest } from '../contract/human-request.js';
import { answerValue } from './answer-value.js';
import { defaultName } from './default-name.js';
import { exitCodes, type ExitCode } from './exit-codes.js';
import type { Screen } from './screen.js';
import type { Session } from './session.js';

export interface GivenDecision {
  id: string;
  runId: string;
  /** null where no such request is open: the run says what has become of it. */
  request: HumanRequest | null;
  /** As typed. */
  value: string;
  as?: string;
  comment?: string;
}

const settled = ['accepted', 'duplicate', 'early'];

/** Decides a request, bound to what it showed just now, and says what became of the decision. */
export async function decideRequest(
  session: Session,
  screen: Screen,
  given: GivenDecision,
): Promise<ExitCode> {
  const { id, runId, request, comment } = given;
  const decision: Decision = {
    request: id,
    value: answerValue(request, given.value),
    by: given.as ?? defaultName(),
    ...(comment === undefined ? {} : { comment }),
    ...(request === null ? {} : { digest: request.digest }),
  };
  const verdict = await session.decide(runId, decision);
  const isSettled = settled.includes(verdict.outcome);
  if (!isSettled) screen.warn(`${verdict.outcome}: ${verdict.message}`);
  screen.answer(verdict, () => (isSettled ? `${verdict.outcome} ${verdict.id}: ${verdict.message}` : ''));
  if (isSettled) screen.note(screen.paint.dim(`To follow the run: tactus-temporal resume ${runId}`));
  return isSettled ? exitCodes.done : exitCodes.refused;
}
