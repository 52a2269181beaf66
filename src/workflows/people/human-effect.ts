import { TactusError } from '../../contract/errors.js';
import { changesOf } from '../../contract/engine.js';
import type { HumanAsk, HumanRequest } from '../../contract/people/human-request.js';
import { withDeliveries } from '../../contract/people/ledger.js';
import { defined, type JsonValue } from '../../contract/json/json.js';
import { performing, type OpenEffect, type RunContext } from '../effects/effect-kind.js';
import { watchParent } from '../runs/watch-others.js';
import { mockAnswer } from '../mocks/mock-answers.js';
import { toRequest } from './to-request.js';
import { dropTasksOf } from '../tools/parked-tasks.js';

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
  const { inbox, now, pausing } = context;
  const time = opened.isOpen && !pausing.standsStill ? inbox.nextTime(id) : null;
  if (time === null) return;
  opened.timer(time - now(), `time to answer: ${opened.request.name}`, () => {
    // What was moved, or stands still, has a timer of its own, or will have one.
    if (inbox.nextTime(id) !== time || pausing.standsStill) return;
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

/**
 * The request with those who are told of it, and the first messages to them. Nobody is told in a test.
 * @throws TactusError human_request_invalid where it names a channel that there isn't
 */
function withChannels(
  { start, engine, now }: Pick<RunContext, 'start' | 'engine' | 'now'>,
  request: HumanRequest,
  { tell = {} }: HumanAsk,
): HumanRequest {
  if (!changesOf(engine)('channels')) return request;
  const { channels: byDefault = [], knownChannels } = start.settings ?? {};
  const { channels = byDefault, callbackUrl, remindMs, onUndelivered } = tell;
  const stranger = channels.find((name) => knownChannels?.includes(name) === false);
  if (stranger !== undefined) throw noSuchChannel(stranger, knownChannels ?? []);
  if (start.mock !== undefined || (channels.length === 0 && callbackUrl === undefined)) return request;
  const told: HumanRequest = {
    ...request,
    channels,
    ...defined({ callback_url: callbackUrl }),
    ...(remindMs === undefined
      ? {}
      : { reminder: { every_ms: remindMs, at: new Date(now() + remindMs).toISOString(), number: 0 } }),
    ...defined({ on_undelivered: onUndelivered }),
  };
  return withDeliveries(told, 'asked', 1, now());
}

function noSuchChannel(name: string, known: readonly string[]): TactusError {
  const there = known.length === 0 ? 'there is none' : `there are ${known.join(', ')}`;
  return new TactusError(
    'human_request_invalid',
    `No configuration has the channel ${JSON.stringify(name)}; ${there}`,
  );
}
