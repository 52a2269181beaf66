import { exitCodeOfStatus, exitCodes, type ExitCode } from '../terminal/exit-codes.js';
import type { Followed } from './follow-run.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { mayDecide } from '../../contract/people/ledger/check-decision.js';
import { runIdOf } from '../../client/tactus-client.js';
import { requestText } from '../people/request-text.js';
import { errorText, incompleteText, outputText, summaryText } from './run-text.js';
import type { Screen } from '../terminal/screen.js';
import type { Session } from '../session.js';
import { ownCommand } from '../terminal/own-command.js';
import { lastArgument } from '../../contract/text/shell-word.js';

/**
 * Says how the following ended and, where the run goes on, what to type; the exit code.
 * @param as whom it was followed for: what others are asked isn't shown to them
 */
export function finishFollowing(
  { view, isInterrupted, requests }: Followed,
  session: Session,
  screen: Screen,
  as?: string,
): ExitCode {
  const isClosed = view.closed_at !== null;
  if (view.error !== null) screen.warn(errorText(view, screen));
  if (view.incomplete !== undefined) screen.warn(incompleteText(view, screen));
  screen.note(summaryText(view, screen));
  screen.answer(view, () => outputText(view));
  if (!isClosed) {
    for (const request of requests)
      screen.warn(
        as !== undefined && mayDecide(request, { by: as }) !== null
          ? othersText(request, as)
          : requestText(request, { how: true }),
      );
    const waits = requests.length > 0 ? 'The run waits for a person.' : 'The run goes on.';
    const goesOn = view.stuck === null ? waits : 'The run is stuck, and left alone.';
    const left = isInterrupted ? 'Interrupted; the run is left alone.' : goesOn;
    screen.warn(`${left} To go on: ${ownCommand(`resume ${lastArgument(view.run_id)}`)}`);
  }
  const page = session.webUi(view.run_id);
  if (page !== null) screen.note(screen.paint.dim(`Web UI: ${page}`));
  if (isClosed) return exitCodeOfStatus(view.status);
  return isInterrupted ? exitCodes.interrupted : exitCodes.goesOn;
}

/** Who is asked, in place of what. */
function othersText({ id, kind, approvers, requester }: HumanRequest, as: string): string {
  const others = approvers.filter((name) => name !== requester);
  const who = others.length === 0 ? `anybody but ${requester ?? as}` : others.join(', ');
  return `${id} (${kind}) is not for ${as} to decide; asked: ${who} (${ownCommand(`pending ${lastArgument(runIdOf(id))}`)})`;
}
