import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { Decision } from '../../../src/contract/people/decision.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import type { RunSettings } from '../../../src/contract/runs/run-settings.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { startTimeSkippingServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const dayMs = 86_400_000;
let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  server = await startTimeSkippingServer();
});
beforeEach(async () => {
  worker = await startWorker(server);
});
afterEach(() => worker.stop());
afterAll(() => server.stop());

function start(body: string, settings: RunSettings = {}, limits = {}): Promise<TactusRun> {
  return server.tactus.start(procedureOf(body), {}, { settings, limits });
}

async function only(run: TactusRun): Promise<HumanRequest> {
  const [request] = await pendingOf(run);
  if (request === undefined) throw new Error('nothing is asked');
  return request;
}

const outcome = async (run: TactusRun, decision: Omit<Decision, 'request'>): Promise<string> =>
  (await run.decide({ request: (await only(run)).id, ...decision })).outcome;

async function expectReplay(run: TactusRun): Promise<void> {
  const histories = await historiesOf(server.client, run.runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(server.client, run)).toEqual([]);
}

it('two of a group must agree, whoever asks is none of them', async () => {
  const groups = { finance: ['ann', 'bob', 'zoe'] };
  const run = await start(
    'return Human.approve{message = "Pay?", approvers = {"group:finance"}, quorum = 2, requester = "zoe"}',
    { groups },
  );
  expect(await only(run)).toMatchObject({ approvers: ['ann', 'bob', 'zoe'], quorum: 2, requester: 'zoe' });
  expect(await outcome(run, { value: true, by: 'zoe' })).toBe('not_allowed');
  expect(await outcome(run, { value: true, by: 'ann' })).toBe('accepted');
  expect(await outcome(run, { value: true, by: 'ann' })).toBe('duplicate');
  expect((await only(run)).votes).toMatchObject([{ by: 'ann', value: true }]);
  expect(await outcome(run, { value: true, by: 'bob' })).toBe('accepted');
  expect(await run.result()).toBe(true);
  const [entry] = (await run.log()).execution_log;
  expect(entry?.result).toMatchObject({ by: 'ann, bob', votes: [{ by: 'ann' }, { by: 'bob' }] });
  await expectReplay(run);
});

it('votes come by signal as well, none before its question, and stay when the run continues as new', async () => {
  const run = await start(
    `for i = 1, 8 do File.exists("x" .. i) end
     Human.approve("Begin?")
     return Human.approve{message = "Pay?", quorum = 2}`,
    {},
    { historyEvents: 12 },
  );
  const begin = await only(run);
  const id = `${run.runId}/${Number(begin.position) + 1}`;
  const early = { request: id, value: true, by: 'ann' };
  await run.handle.signal('decide', early);
  await run.decide({ request: begin.id, value: true });
  // Nobody has seen the question that it answers: it is no vote.
  expect(await only(run)).toMatchObject({ id });
  expect((await only(run)).votes).toBeUndefined();
  await run.handle.signal('decide', early);
  expect(await only(run)).toMatchObject({ id, votes: [{ by: 'ann' }] });
  await run.handle.signal('decide', { request: id, value: true, by: 'bob' });
  expect(await run.result()).toBe(true);
  await expectReplay(run);
});

describe('over five weeks', () => {
  const body = `local before = os.time()
    local ok, answer = pcall(Human.approve, {
      message = "Pay?", approvers = "ann", timeout = "1w", on_timeout = "error",
      escalate_to = {{to = "boss", timeout = "2w"}, {to = "group:board", timeout = "2w"}},
    })
    return {ok = ok, answer = tostring(answer), days = (os.time() - before) // 86400}`;
  const groups = { board: ['cleo', 'dan'] };

  it('others are asked, one after the other, and then it is an error', async () => {
    const run = await start(body, { groups });
    const { deadline, created_at, escalation } = await only(run);
    expect(Date.parse(deadline ?? '') - Date.parse(created_at)).toBe(35 * dayMs);
    expect(escalation?.map(({ asked }) => asked)).toEqual([false, false]);
    expect(await run.result()).toEqual({
      ok: false,
      answer: expect.stringContaining('Pay?: nobody decided in time') as string,
      days: 35,
    });
    await expectReplay(run);
  });

  it('who is asked later decides then, and not before', async () => {
    const run = await start(body, { groups });
    expect(await outcome(run, { value: true, by: 'dan' })).toBe('not_allowed');
    await server.env.sleep('8 days');
    expect(await only(run)).toMatchObject({ approvers: ['ann', 'boss'], escalation: [{ asked: true }, {}] });
    await server.env.sleep('14 days');
    expect(await outcome(run, { value: true, by: 'dan' })).toBe('accepted');
    expect(await run.result()).toEqual({ ok: true, answer: 'true', days: 22 });
    await expectReplay(run);
  });
});

it('what expires before its time is over has the default', async () => {
  const run = await start(`
    local before = os.time()
    local ok = Human.approve{message = "Pay?", timeout = "1w", expires_at = os.time() + 86400}
    return {ok = ok, days = (os.time() - before) // 86400}`);
  const { created_at, deadline, expires_at } = await only(run);
  expect(expires_at).toBe(deadline);
  expect(Date.parse(expires_at ?? '')).toBeLessThanOrEqual(Date.parse(created_at) + dayMs);
  expect(await run.result()).toEqual({ ok: false, days: 1 });
});

it('a decision is asked for anew where what it is bound to has changed, also when the run has gone on elsewhere', async () => {
  const run = await start(
    `local reads = 0
     local function price() reads = reads + 1; File.exists("x"); return { price = reads < 3 and reads or 3 } end
     for i = 1, 8 do File.exists("x" .. i) end
     return { ok = Human.approve{message = "Buy?", preconditions = price}, reads = reads }`,
    {},
    { historyEvents: 12 },
  );
  const first = await only(run);
  expect(first.metadata).toEqual({ preconditions: { price: 1 } });
  const yes = { request: first.id, value: true, digest: first.digest };
  expect(await run.decide(yes)).toMatchObject({ outcome: 'accepted' });
  const second = await only(run);
  expect(second).toMatchObject({
    metadata: { preconditions: { price: 2 } },
    preconditions_before: { price: 1 },
  });
  expect(second.id).not.toBe(first.id);
  expect(await run.decide({ ...yes, request: second.id })).toMatchObject({ outcome: 'invalid' });
  await run.decide({ request: second.id, value: true, digest: second.digest });
  const third = await only(run);
  await run.decide({ request: third.id, value: true });
  expect(await run.result()).toEqual({ ok: true, reads: 4 });
  await expectReplay(run);
});

it('a request is handed on, and taken back', async () => {
  const run = await start(`
    local first = Human.approve{message = "Pay?", approvers = "ann"}
    local ok, why = pcall(Human.approve, {message = "Again?"})
    return {first, ok, tostring(why)}`);
  expect(await outcome(run, { value: null, action: 'delegate', to: 'eve', by: 'ann' })).toBe('accepted');
  expect(await only(run)).toMatchObject({ approvers: ['eve'], delegated: [{ by: 'ann', to: 'eve' }] });
  expect(await outcome(run, { value: true, by: 'ann' })).toBe('not_allowed');
  expect(await outcome(run, { value: true, by: 'eve' })).toBe('accepted');
  expect(await outcome(run, { value: null, action: 'withdraw', by: 'zoe', comment: 'no need' })).toBe(
    'accepted',
  );
  expect(await run.result()).toEqual([
    true,
    false,
    expect.stringContaining('Again?: zoe took the request back: no need'),
  ]);
  await expectReplay(run);
});

it.each([
  ['a group that nobody names', 'approvers = "group:none"', 'No configuration says who is in group:none'],
  ['more than there are', 'approvers = {"ann"}, quorum = 2', '2 people must agree, and 1 may: ann'],
  ['nobody but who asks', 'approvers = {"ann"}, requester = "ann"', '1 people must agree, and 0 may'],
])('%s: nobody is asked', async (_, fields, message) => {
  const run = await start(`return Human.approve{message = "Pay?", ${fields}}`);
  await expect(run.result()).rejects.toThrow(message);
});

it('a request is not handed on where too few could decide it then, over executions too', async () => {
  const run = await start(
    `for i = 1, 12 do Sleep(1) end
    local stages = { { to = { "bob" }, timeout = "3650d" } }
    return Human.approve{message = "Pay?", quorum = 2, approvers = {"ann"}, timeout = "1h", escalate_to = stages}`,
    {},
    { historyEvents: 20 },
  );
  await server.env.sleep('1m');
  expect(await outcome(run, { value: null, action: 'delegate', by: 'ann', to: 'bob' })).toBe('not_allowed');
  await server.env.sleep('2h');
  expect(await only(run)).toMatchObject({ approvers: ['ann', 'bob'] });
  expect(await outcome(run, { value: null, action: 'delegate', by: 'ann', to: 'eve' })).toBe('accepted');
  expect(await outcome(run, { value: true, by: 'eve' })).toBe('accepted');
  expect(await outcome(run, { value: true, by: 'bob' })).toBe('accepted');
  expect(await run.result()).toBe(true);
  await expectReplay(run);
});

it('in tests, as many answer as must agree', async () => {
  const source = procedureOf(
    'return Human.approve{message = "Pay?", approvers = {"ann", "bob"}, quorum = 2}',
  );
  const run = await server.tactus.start(
    source,
    {},
    { mock: { all: true, agents: {}, results: {}, people: [] } },
  );
  expect(await run.result()).toBe(true);
});
