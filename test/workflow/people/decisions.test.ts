import { describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { Decision, DecisionOutcome, Verdict } from '../../../src/contract/people/decision.js';
import { queryNames, signalNames } from '../../../src/contract/names.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const source = procedureOf(`
  local first = Human.approve{ message = "First?" }
  local second = Human.approve{ message = "Second?", approvers = { "ann" } }
  local colour = Human.input{ message = "Which colour?", options = { "red", "blue" } }
  local review = Human.review{ message = "Good?", artifact = "a text" }
  return { first = first, second = second, colour = colour, review = review.decision }
`);

const early = { early: true };

/** One after another, in one run; `at` is the request's position. */
const steps: ({ at: string; outcome: DecisionOutcome; why: string } & Omit<Decision, 'request'>)[] = [
  {
    ...early,
    at: '1',
    value: true,
    by: 'bob',
    id: 'e1',
    outcome: 'early',
    why: 'before its request is open',
  },
  { ...early, at: '1', value: true, by: 'ann', id: 'e2', outcome: 'early', why: 'another person, as early' },
  { ...early, at: '1', value: true, by: 'ann', id: 'e2', outcome: 'duplicate', why: 'the same one twice' },
  { ...early, at: '2', value: 'red', id: 'e3', outcome: 'early', why: 'one that anybody may decide' },
  { at: '0', value: 'false', outcome: 'invalid', why: 'a text is no approval' },
  { at: '0', value: 1, outcome: 'invalid', why: 'a number is no approval' },
  { at: '0', value: null, outcome: 'invalid', why: 'nothing is no approval' },
  { at: '0', value: true, digest: 'of another text', outcome: 'invalid', why: 'made for another text' },
  { at: 'x', value: true, outcome: 'unknown', why: 'no position' },
  {
    at: '0',
    value: { approved: true, comment: 'fine' },
    id: 'd0',
    outcome: 'accepted',
    why: 'the object form',
  },
  { at: '0', value: false, id: 'd0', outcome: 'duplicate', why: 'the same decision sent again' },
  { at: '0', value: true, outcome: 'duplicate', why: 'the same value' },
  { at: '0', value: false, outcome: 'late', why: 'another value, afterwards' },
  {
    at: '1',
    value: 'no',
    by: 'ann',
    outcome: 'invalid',
    why: 'no early one has settled it: approvers look first',
  },
  { at: '1', value: false, by: 'ann', outcome: 'accepted', why: 'it is open now' },
  { at: '2', value: 'blue', outcome: 'late', why: 'the early one has settled it' },
  { at: '3', value: 'perhaps', outcome: 'invalid', why: 'not offered' },
  { at: '3', value: { decision: 'approve', stars: 5 }, outcome: 'invalid', why: 'more than a review has' },
];

const server = serverWithWorker(startDevServer);

async function bySignal(run: TactusRun, decision: Decision): Promise<Verdict> {
  const id = decision.id ?? decision.request;
  const before = await run.handle.query<Verdict | null, [string]>(queryNames.verdict, id);
  await run.handle.signal(signalNames.decide, decision);
  return waitUntil(async () => {
    const verdict = await run.handle.query<Verdict | null, [string]>(queryNames.verdict, id);
    return JSON.stringify(verdict) !== JSON.stringify(before) && verdict;
  });
}

describe('a decision has one outcome', () => {
  it('by Update, told to whoever sent it', async () => {
    const run = await server.tactus.start(source);
    await pendingOf(run);
    for (const { at, outcome, why, ...decision } of steps) {
      const verdict = await run.decide({ request: `${run.runId}/${at}`, ...decision });
      expect({ why, outcome: verdict.outcome, message: verdict.message }).toMatchObject({ why, outcome });
    }
    const [review] = await pendingOf(run);
    const verdict = await server.tactus.decide({
      request: review?.id ?? '',
      value: 'revise',
      digest: review?.digest ?? '',
    });
    expect(verdict.outcome).toBe('accepted');
    expect(await run.result()).toEqual({ first: true, second: false, colour: 'red', review: 'revise' });

    const closed = await run.decide({ request: review?.id ?? '', value: 'approve' });
    expect(closed).toMatchObject({ outcome: 'late' });
    const histories = await historiesOf(server.client, run.runId);
    const accepted = histories
      .flatMap(({ events }) => events ?? [])
      .filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
    const told = steps.filter(({ outcome }) => ['accepted', 'early', 'duplicate'].includes(outcome));
    expect(accepted).toHaveLength(told.length + 1);
    expect(failedTasks(histories)).toEqual([]);
  });

  it('is refused where nobody can have seen what it decides, and leaves no trace', async () => {
    const run = await server.tactus.start(source);
    const [first] = await pendingOf(run);
    const unseen: Omit<Decision, 'request'>[] = [
      { value: true },
      { value: true, by: 'ann', id: 'a', early: false },
      { value: null, action: 'withdraw', by: 'ann' },
      { value: null, action: 'delegate', to: 'bea', by: 'ann' },
    ];
    for (const decision of unseen)
      for (const at of ['1', '2', '9', '4.0'])
        expect(await run.decide({ request: `${run.runId}/${at}`, ...decision })).toMatchObject({
          outcome: 'unknown',
          message: expect.stringContaining("isn't open: nobody has seen what it asks") as string,
        });
    const strange = { request: `${run.runId}/1`, value: true, early: 'yes' } as unknown as Decision;
    expect(await run.decide(strange)).toMatchObject({ outcome: 'invalid' });
    const kept = { request: `${run.runId}/2`, value: 'red', early: true };
    expect(await run.decide(kept)).toMatchObject({ outcome: 'early' });
    await run.decide({ request: first?.id ?? '', value: true });
    await waitUntil(async () => (await pendingOf(run))[0]?.message === 'Second?');
    await run.decide({ request: `${run.runId}/1`, value: true, by: 'ann' });
    await waitUntil(async () => (await pendingOf(run))[0]?.message === 'Good?');
    const log = (await run.log()).execution_log;
    expect(log.map(({ early: isEarly = false }) => isEarly)).toEqual([false, false, true]);
    expect(log[2]?.result).toMatchObject({ value: 'red', early: true });
    const [history] = await historiesOf(server.client, run.runId);
    expect(
      history?.events?.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes),
    ).toHaveLength(3);
    await run.terminate();
  });

  it('by signal, to be asked for', async () => {
    const run = await server.tactus.start(source);
    await pendingOf(run);
    // A duplicate leaves the first verdict standing, and what a signal can't be read as leaves none.
    for (const { at, outcome, why, ...decision } of steps.filter((step) => step.outcome !== 'duplicate')) {
      const verdict = await bySignal(run, {
        request: `${run.runId}/${at}`,
        id: `signal ${why}`,
        ...decision,
      });
      expect({ why, outcome: verdict.outcome, message: verdict.message }).toMatchObject({ why, outcome });
    }
    await run.handle.signal(signalNames.decide, 'true');
    await run.handle.signal(signalNames.decide);
    await run.handle.signal(signalNames.decide, { request: `${run.runId}/3`, value: 'approve' }, 'too much');
    await run.handle.signal(signalNames.decide, { request: `${run.runId}/3`, value: 'reject' });
    expect(await run.result()).toEqual({ first: true, second: false, colour: 'red', review: 'reject' });
    expect(failedTasks(await historiesOf(server.client, run.runId))).toEqual([]);
  });

  it('is told to those who may not decide, who come by the wrong run, or to none', async () => {
    const run = await server.tactus.start(
      procedureOf('return Human.approve{ message = "Pay?", approvers = { "ann", "bea" } }'),
    );
    await pendingOf(run);
    const request = `${run.runId}/0`;
    expect(await run.decide({ request, value: true })).toMatchObject({ outcome: 'not_allowed' });
    expect(await run.decide({ request, value: true, by: 'eve' })).toMatchObject({ outcome: 'not_allowed' });
    expect(await run.decide({ request: 'elsewhere/0', value: true })).toMatchObject({ outcome: 'unknown' });
    expect(await server.tactus.decide({ request: 'nowhere/0', value: true })).toMatchObject({
      outcome: 'unknown',
    });
    expect(await run.decide({ request, value: false, by: 'bea' })).toMatchObject({ outcome: 'accepted' });
    expect(await run.result()).toBe(false);
  });
});
