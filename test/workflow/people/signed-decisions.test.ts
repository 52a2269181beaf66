import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { signDecision } from '../../../src/authority/signed-decisions.js';
import { generateKey, signingKeyOfPem } from '../../../src/authority/signature.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { Decision, Verdict } from '../../../src/contract/people/decision.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import { queryNames, signalNames, updateNames } from '../../../src/contract/names.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const generated = generateKey();
const key = signingKeyOfPem('k1', generated.privatePem);
const stranger = signingKeyOfPem('k1', generateKey().privatePem);
const authorityKeys = { k1: { ed25519: generated.ed25519 } };
const settings = { signedDecisions: true };
const source = procedureOf(`
  local first = Human.approve{ message = "First?", approvers = { "ann" } }
  local second = Human.input{ message = "Second?" }
  return { first = first, second = second }
`);

let server: TestServer;
let worker: TestWorker;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  worker = await startWorker(server, { activities: { authorityKeys } });
});
afterEach(() => worker.stop());

const namespace = (): string => server.client.options.namespace;

function signed(
  { id, digest }: HumanRequest,
  decision: Omit<Decision, 'request'>,
  options: { key?: typeof key; at?: number } = {},
): Decision {
  return signDecision({ request: id, digest, ...decision }, { namespace: namespace(), key, ...options });
}

async function first(run: TactusRun): Promise<HumanRequest> {
  const [request] = await pendingOf(run);
  if (request === undefined) throw new Error('nothing is asked');
  return request;
}

async function bySignal(run: TactusRun, decision: Decision & { id: string }): Promise<Verdict> {
  await run.handle.signal(signalNames.decide, decision);
  return waitUntil(() => run.handle.query<Verdict | null, [string]>(queryNames.verdict, decision.id));
}

/** A worker that looks at no signatures. */
const idle = { activities: { authorityKeys }, worker: { enableNonLocalActivities: false } };

async function isScheduled(run: TactusRun): Promise<void> {
  await waitUntil(async () => {
    const [history = {}] = await historiesOf(server.client, run.runId);
    return (history.events ?? []).some((event) => event.activityTaskScheduledEventAttributes);
  });
}

async function replays(run: TactusRun): Promise<number> {
  const histories = await historiesOf(server.client, run.runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(server.client, run)).toEqual([]);
  return histories
    .flatMap(({ events }) => events ?? [])
    .filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes).length;
}

it('is taken by Update and by signal, refused where it is not what was signed, and its author is known', async () => {
  const run = await server.tactus.start(source, {}, { settings });
  const other = await server.tactus.start(source, {}, { settings });
  const request = await first(run);
  expect(request.authority).toBe('signed');
  expect(await run.status()).toMatchObject({ authority: 'signed' });
  const good = signed(request, { value: true, by: 'ann' });
  const refusals: [Decision, string, string][] = [
    [{ request: request.id, value: true, by: 'ann' }, 'not_allowed', 'no token'],
    [{ ...good, token: 'none' }, 'invalid', 'token'],
    [{ ...good, value: false }, 'not_allowed', 'another value'],
    [{ ...good, comment: 'x' }, 'not_allowed', 'comment'],
    [{ ...good, value: null, action: 'withdraw' }, 'not_allowed', 'action'],
    [
      { ...signed(request, { value: null, action: 'delegate', to: 'bob', by: 'ann' }), to: 'eve' },
      'not_allowed',
      'action',
    ],
    [signed(await first(other), { value: true, by: 'ann' }), 'not_allowed', 'another run'],
    [{ ...signed({ ...request, digest: 'old' }, { value: true, by: 'ann' }) }, 'invalid', 'another text'],
    [signed(request, { value: true, by: 'ann' }, { at: Date.now() - 3_600_000 }), 'not_allowed', 'expired'],
    [signed(request, { value: true, by: 'bob' }), 'not_allowed', '"bob" may not decide'],
    [signed(request, { value: 'yes', by: 'ann' }), 'invalid', 'approval'],
    [signed(request, { value: true, by: 'ann' }, { key: stranger }), 'not_allowed', "isn't signed with"],
    [
      signed(request, { value: true, by: 'ann' }, { key: { ...stranger, id: 'k0' } }),
      'not_allowed',
      'has no key k0',
    ],
  ];
  for (const [decision, outcome, why] of refusals) {
    const mine = { ...decision, request: request.id };
    const verdict = await run.decide(mine);
    expect({ why, ...verdict }).toMatchObject({ outcome, message: expect.stringContaining(why) as string });
  }
  for (const [i, [decision, outcome, why]] of refusals.entries()) {
    const verdict = await bySignal(run, { ...decision, request: request.id, id: `s${i}` });
    expect({ why, ...verdict }).toMatchObject({ outcome, message: expect.stringContaining(why) as string });
  }
  expect(await run.decide(good)).toMatchObject({ outcome: 'accepted' });
  expect(await run.decide({ ...good, id: 'again' })).toMatchObject({ outcome: 'duplicate' });
  const second = await first(run);
  const verdict = await bySignal(run, { ...signed(second, { value: 'blue', by: 'eve' }), id: 'by signal' });
  expect(verdict).toMatchObject({ outcome: 'accepted' });
  expect(await run.result()).toEqual({ first: true, second: 'blue' });
  const log = await run.log();
  expect(log.authority).toBe('signed');
  expect(log.execution_log.map(({ by_verified }) => by_verified)).toEqual([true, true]);
  // Those with a signature to look at, and the one that counts, twice.
  expect(await replays(run)).toBe(4);
  await other.terminate();
});

it('waits for a worker, and for the next execution, that verifies it', async () => {
  const run = await server.tactus.start(source, {}, { settings, limits: { historyEvents: 40 } });
  const request = await first(run);
  // It arrives while nobody looks at signatures.
  await worker.stop();
  worker = await startWorker(server, idle);
  const verdict = run.decide(signed(request, { value: true, by: 'ann' }));
  await isScheduled(run);
  const { runId: before } = await run.handle.describe();
  for (let i = 0; i < 40; i++)
    await run.handle.signal(signalNames.decide, { request: request.id, value: true });
  await waitUntil(async () => (await run.handle.describe()).runId !== before);
  // The worker that it had dies, and another takes it over.
  await worker.stop();
  worker = await startWorker(server, { activities: { authorityKeys } });
  expect(await verdict).toMatchObject({ outcome: 'accepted' });
  const second = await waitUntil(
    async () => (await run.pending()).find(({ message }) => message === 'Second?') ?? null,
  );
  // A worker without the key refuses, and the request stays open.
  await worker.stop();
  worker = await startWorker(server);
  expect(await run.decide(signed(second, { value: 'x', by: 'ann' }))).toMatchObject({
    outcome: 'not_allowed',
    message: 'the worker that verifies decisions has no key k1',
  });
  await worker.stop();
  worker = await startWorker(server, { activities: { authorityKeys } });
  expect(await run.decide(signed(second, { value: 'blue', by: 'ann' }))).toMatchObject({
    outcome: 'accepted',
  });
  expect(await run.result()).toEqual({ first: true, second: 'blue' });
  const histories = await historiesOf(server.client, run.runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(server.client, run)).toEqual([]);
});

it('is answered when the run ends before it is verified', async () => {
  await worker.stop();
  worker = await startWorker(server, idle);
  const run = await server.tactus.start(source, {}, { settings });
  const request = await first(run);
  const verdict = run.decide(signed(request, { value: true, by: 'ann' }));
  await isScheduled(run);
  await run.cancel();
  expect(await verdict).toMatchObject({
    outcome: 'unknown',
    message: expect.stringContaining('ended') as string,
  });
  await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
  await replays(run);
});

it('keeps nobody out while its signature is looked at, however many are forged', async () => {
  await worker.stop();
  worker = await startWorker(server, idle);
  const run = await server.tactus.start(source, {}, { settings });
  const request = await first(run);
  const forged = Array.from({ length: 30 }, (_, i) => ({
    ...signed(request, { value: true, by: 'ann' }, { key: stranger }),
    id: `forged ${i}`,
  }));
  const update = (decision: Decision): Promise<Verdict> =>
    run.handle.executeUpdate<Verdict, [Decision]>(updateNames.decide, { args: [decision] });
  for (const decision of forged) expect(await update(decision)).toMatchObject({ outcome: 'verifying' });
  const good = { ...signed(request, { value: true, by: 'ann' }), id: 'good' };
  expect(await update(good)).toMatchObject({ outcome: 'verifying' });
  expect(await update({ ...good, id: 'again' })).toMatchObject({ outcome: 'verifying' });
  expect((await run.pending()).map(({ id }) => id)).toEqual([request.id]);
  await worker.stop();
  worker = await startWorker(server, { activities: { authorityKeys } });
  const verdictOn = (id: string): Promise<Verdict> =>
    waitUntil(() => run.handle.query<Verdict | null, [string]>(queryNames.verdict, id));
  const outcomes = [await verdictOn('good'), await verdictOn('again')].map(({ outcome }) => outcome);
  expect(outcomes.sort()).toEqual(['accepted', 'duplicate']);
  for (const { id } of forged) expect(['not_allowed', 'late']).toContain((await verdictOn(id)).outcome);
  await run.decide(signed(await first(run), { value: 'blue', by: 'ann' }));
  expect(await run.result()).toEqual({ first: true, second: 'blue' });
  await replays(run);
});

it('is refused by runs that trust the namespace, whose answers are claims', async () => {
  const run = await server.tactus.start(source);
  const request = await first(run);
  expect(await run.status()).toMatchObject({ authority: 'trusted-namespace' });
  expect(await run.decide(signed(request, { value: true, by: 'ann' }))).toMatchObject({
    outcome: 'invalid',
    message: expect.stringContaining('trusted-namespace') as string,
  });
  await run.decide({ request: request.id, value: true, by: 'ann' });
  expect((await run.log()).execution_log.map(({ by_verified }) => by_verified)).toEqual([false]);
  await replays(run);
  await run.terminate();
});

it('hands requests on and takes them back, and counts those who agree, by what is signed alone', async () => {
  const asked = procedureOf(`
    local paid = Human.approve{ message = "Pay?", approvers = { "ann", "bob" }, quorum = 2, requester = "zoe" }
    local ok = pcall(Human.approve, { message = "Refund?", requester = "zoe" })
    return { paid = paid, refunded = ok }
  `);
  const run = await server.tactus.start(asked, {}, { settings });
  const pay = await first(run);
  const unsigned: Decision = { request: pay.id, value: null, action: 'delegate', to: 'eve', by: 'bob' };
  expect(await run.decide(unsigned)).toMatchObject({ outcome: 'not_allowed' });
  const handedOn = signed(pay, { value: null, action: 'delegate', to: 'eve', by: 'bob' });
  expect(await run.decide(handedOn)).toMatchObject({ outcome: 'accepted' });
  expect(await run.decide(signed(pay, { value: true, by: 'ann' }))).toMatchObject({ outcome: 'accepted' });
  expect(await run.decide(signed(pay, { value: true, by: 'bob' }))).toMatchObject({ outcome: 'not_allowed' });
  expect(await run.decide(signed(pay, { value: true, by: 'eve' }))).toMatchObject({ outcome: 'accepted' });
  const refund = await first(run);
  const byWhom = (by: string): Decision => signed(refund, { value: null, action: 'withdraw', by });
  expect(await run.decide({ ...byWhom('eve'), by: 'zoe' })).toMatchObject({ outcome: 'not_allowed' });
  expect(await run.decide(byWhom('zoe'))).toMatchObject({ outcome: 'accepted' });
  expect(await run.result()).toEqual({ paid: true, refunded: false });
  await replays(run);
});
