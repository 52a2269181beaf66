import { signDecision } from '../../authority/signed-decisions.js';
import type { Decision, Verdict } from '../../contract/people/decision.js';
import { TactusError } from '../../contract/errors.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import type { JsonValue } from '../../contract/json/json.js';
import { answerValue } from './answer-value.js';
import { exitCodes, type ExitCode } from '../terminal/exit-codes.js';
import type { Screen } from '../terminal/screen.js';
import type { Session } from '../session.js';
import { accountName, type Signing } from '../authority/signing-options.js';
import { ownCommand } from '../terminal/own-command.js';
import { lastArgument } from '../../contract/text/shell-word.js';

export interface GivenDecision extends Signing {
  id: string;
  runId: string;
  /** null where no such request is open: the run says what has become of it. */
  request: HumanRequest | null;
  /** As typed. */
  value: string;
  /** It is kept where the request isn't open yet. */
  early?: boolean;
}

const settled = ['accepted', 'duplicate', 'early', 'verifying'];

/** Decides a request, bound to what it showed just now, and says what became of the decision. */
export function decideRequest(session: Session, screen: Screen, given: GivenDecision): Promise<ExitCode> {
  const value = readValue(given);
  if (value instanceof TactusError)
    return Promise.resolve(
      say(screen, given.runId, { id: given.id, outcome: 'invalid', message: value.message }),
    );
  return sendDecision(session, screen, given, { value });
}

/** Sends a decision, bound to what its request showed just now, and says what became of it. */
export async function sendDecision(
  session: Session,
  screen: Screen,
  given: Omit<GivenDecision, 'value'>,
  what: Pick<Decision, 'value' | 'action' | 'to'>,
): Promise<ExitCode> {
  const { id, runId, request, as, comment, early = false } = given;
  const decision: Decision = {
    request: id,
    ...what,
    by: as ?? accountName(),
    ...(comment === undefined ? {} : { comment }),
    ...(request === null ? {} : { digest: request.digest }),
    // Runs of older engines and workers don't know the word: it is said only where it matters.
    ...(early && request === null ? { early } : {}),
  };
  return say(screen, runId, await session.decide(runId, signed(session, given, decision)));
}

/** @throws TactusError request_unknown where nobody knows what a person would sign */
function signed(
  session: Session,
  { id, request, key, validMs }: Omit<GivenDecision, 'value'>,
  decision: Decision,
): Decision {
  if (key === undefined) return decision;
  if (request === null)
    throw new TactusError('request_unknown', `${id} isn't open: what it shows is part of what is signed`);
  const { namespace } = session.client.options;
  return signDecision(decision, { namespace, key, ...(validMs === undefined ? {} : { validMs }) });
}

/** The value that was typed, or why it can't be one. */
function readValue({ request, value }: GivenDecision): JsonValue | TactusError {
  try {
    return answerValue(request, value);
  } catch (error) {
    if (error instanceof TactusError) return error;
    throw error;
  }
}

function say(screen: Screen, runId: string, verdict: Verdict): ExitCode {
  const isSettled = settled.includes(verdict.outcome);
  if (!isSettled) screen.warn(`${verdict.outcome}: ${verdict.message}`);
  screen.answer(verdict, () => (isSettled ? `${verdict.outcome} ${verdict.id}: ${verdict.message}` : ''));
  if (isSettled)
    screen.note(screen.paint.dim(`To follow the run: ${ownCommand(`resume ${lastArgument(runId)}`)}`));
  return isSettled ? exitCodes.done : exitCodes.refused;
}
