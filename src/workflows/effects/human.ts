import { TactusError } from '../../contract/errors.js';
import type { HumanRequest } from '../../contract/human-request.js';
import type { JsonValue } from '../../contract/json.js';
import type { RunContext } from '../context.js';
import { performing } from '../effect-kind.js';
import { watchParent } from '../watch-others.js';
import { mockAnswer } from '../performing/mock-person.js';
import { toRequest } from '../performing/to-request.js';
import { dropTasksOf } from '../resting-tasks.js';

/** Opens the request and waits for a decision, or for the end of its time. */
export const human = performing('human', {
  perform(context, opened, { ask }) {
    const { inbox, runId, now } = context;
    const request = toRequest(runId, opened.position, ask, now());
    const people = context.start.mock?.people ?? null;
    const mocked = people === null ? null : mockAnswer(people, request);
    // Who answers as usual is not held to the options that a request has.
    const shown = mocked?.isUsual === true ? { ...request, options: [] } : request;
    inbox.open(shown, (answer) => opened.answer(answer));
    if (opened.isOpen && mocked?.value !== undefined) settleByMock(context, request, mocked.value);
    if (opened.isOpen) watchParent(context);
    const deadline = opened.isOpen ? inbox.deadline(request.id) : null;
    if (deadline !== null)
      opened.timer(deadline - now(), `time to answer: ${opened.request.name}`, () =>
        inbox.expire(request.id),
      );
  },
  givenUp: (context, position) => {
    context.inbox.cancel(`${context.runId}/${position}`);
    dropTasksOf(context, position);
  },
  told: ({ inbox, runId }, position) => inbox.recorded(`${runId}/${position}`),
});

/** @throws TactusError human_request_invalid where a test's answer is none that a person could give */
function settleByMock({ inbox }: RunContext, { id, approvers }: HumanRequest, value: JsonValue): void {
  const { outcome, message } = inbox.settle({ request: id, value, by: approvers[0] ?? 'mock' });
  if (outcome !== 'accepted')
    throw new TactusError('human_request_invalid', `The answer of the test is ${outcome}: ${message}`);
}
