import { TactusError } from '../../contract/errors.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { RunContext } from '../context.js';
import type { OpenEffect } from '../effects/open-effect.js';
import { performing } from '../effects/effect-kind.js';
import { watchParent } from '../runs/watch-others.js';
import { mockAnswer } from '../mocks/mock-person.js';
import { toRequest } from './to-request.js';
import { withChannels } from './with-channels.js';
import { dropTasksOf } from '../tools/resting-tasks.js';

/** Opens the request and waits for a decision, or for the end of its time. */
export const human = performing('human', {
  perform(context, opened, { ask }) {
    const { inbox } = context;
    const request = withChannels(context, toRequest(context, opened.position, ask), ask);
    const people = context.start.mock?.people ?? null;
    const mocked = people === null ? null : mockAnswer(people, request);
    // Who answers as usual is not held to the options that a request has.
    const shown = mocked?.isUsual === true ? { ...request, options: [] } : request;
    inbox.open(
      shown,
      (answer) => opened.answer(answer),
      () => waitFor(context, opened, request.id),
    );
    if (opened.isOpen && mocked?.value !== undefined) settleByMock(context, request, mocked.value);
    if (opened.isOpen) watchParent(context);
    waitFor(context, opened, request.id);
  },
  givenUp: (context, position) => {
    context.inbox.cancel(`${context.runId}/${position}`);
    dropTasksOf(context, position);
  },
  told: ({ inbox, runId }, position) => inbox.recorded(`${runId}/${position}`),
});

/** What becomes of the request by itself, in its time. */
function waitFor(context: RunContext, opened: OpenEffect, id: string): void {
  const { inbox, now } = context;
  const time = opened.isOpen ? inbox.nextTime(id) : null;
  if (time === null) return;
  opened.timer(time - now(), `time to answer: ${opened.request.name}`, () => {
    // What was moved has a timer of its own.
    if (inbox.nextTime(id) !== time) return;
    inbox.pass(id);
    waitFor(context, opened, id);
  });
}

/** @throws TactusError human_request_invalid where a test's answer is none that a person could give */
function settleByMock({ inbox }: RunContext, request: HumanRequest, value: JsonValue): void {
  for (const by of mockPeople(request)) {
    const { outcome, message } = inbox.settle({ request: request.id, value, by });
    // One of several people may have been enough.
    if (outcome === 'late' || outcome === 'duplicate') return;
    if (outcome !== 'accepted')
      throw new TactusError('human_request_invalid', `The answer of the test is ${outcome}: ${message}`);
  }
}

/** As many as must agree. */
function mockPeople({ approvers, quorum = 1 }: HumanRequest): string[] {
  return Array.from({ length: quorum }, (_, i) => approvers[i] ?? (i === 0 ? 'mock' : `mock ${i + 1}`));
}
