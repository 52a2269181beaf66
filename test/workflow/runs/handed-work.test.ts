import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signingKeyOfPem } from '../../../src/authority/signature.js';
import { signDecision } from '../../../src/authority/signed-decisions.js';
import { readImport } from '../../../src/client/runs/import/read-import.js';
import { readFork } from '../../../src/client/runs/read-fork.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = signingKeyOfPem('k1', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
const authorityKeys = { k1: { ed25519: (publicKey.export({ format: 'jwk' }) as { x: string }).x } };

let server: TestServer;
let worker: TestWorker;
beforeAll(async () => {
  server = await startDevServer();
  worker = await startWorker(server, { activities: { authorityKeys } });
});
afterAll(async () => {
  await worker.stop();
  await server.stop();
});

async function expectReplay(run: TactusRun): Promise<void> {
  expect(await replayRun(server.client, run)).toEqual([]);
}

const named = async (run: TactusRun, message: string): Promise<HumanRequest> =>
  waitUntil(async () => (await run.pending()).find((each) => each.message === message) ?? null);

const record = async (run: TactusRun): Promise<string> =>
  JSON.stringify(await server.tactus.export(run.runId));

describe('what people have done for a run goes along when it is imported', () => {
  const source = procedureOf(`
    local ok = Human.approve({
      message = "Pay?", quorum = 2, approvers = { "ann", "bob" }, timeout = "3h",
      escalate_to = { { to = { "boss" }, timeout = "1h" } },
    })
    local why = Human.input({ message = "Why?" })
    return { ok = ok, why = why, event = Event.wait("x", { timeout = 60 }) }`);

  it('votes, who has it now, times, early decisions and events', async () => {
    const run = await server.tactus.start(source);
    const before = await named(run, 'Pay?');
    await run.decide({ request: before.id, value: true, by: 'ann' });
    await run.decide({ request: before.id, value: null, action: 'delegate', by: 'bob', to: 'eve' });
    await run.decide({ request: `${run.runId}/1`, value: 'for the sea', by: 'joe', early: true });
    await run.send('x', { n: 1 });
    const [exported] = await pendingOf(run);
    const imported = await readImport(await record(run), { runId: `${run.runId}-2` });
    expect(imported.leftBehind).toEqual([]);
    const again = await server.tactus.startImport(imported);
    const after = await named(again, 'Pay?');
    const { deliveries: _, ...rest } = exported ?? before;
    expect(after).toEqual({ ...rest, id: `${again.runId}/0`, run_id: again.runId });
    expect(after).toMatchObject({ votes: [{ by: 'ann' }], approvers: ['ann', 'eve'] });
    expect(await again.decide({ request: after.id, value: true, by: 'ann' })).toMatchObject({
      outcome: 'duplicate',
    });
    expect(await again.decide({ request: after.id, value: true, by: 'bob' })).toMatchObject({
      outcome: 'not_allowed',
    });
    await again.decide({ request: after.id, value: true, by: 'eve' });
    expect(await again.result()).toEqual({ ok: true, why: 'for the sea', event: { n: 1 } });
    await expectReplay(again);
    await run.terminate();
  });

  it('of a changed procedure only what those said who may still decide, and what leaves enough of them', async () => {
    const run = await server.tactus.start(source);
    const before = await named(run, 'Pay?');
    await run.decide({ request: before.id, value: true, by: 'ann' });
    const file = source.files['main.tac'] ?? '';
    const changed = { ...source, files: { 'main.tac': file.replace('"ann", "bob"', '"bob", "zoe"') } };
    const again = await server.tactus.import(await record(run), {
      source: changed,
      runId: `${run.runId}-2`,
      allowsChanges: true,
    });
    const after = await named(again, 'Pay?');
    expect(after).toMatchObject({ deadline: before.deadline, votes: [], approvers: ['bob', 'zoe'] });
    await Promise.all([run.terminate(), again.terminate()]);
  });

  it('timers go on with what is left of them, and what no agent has heard', async () => {
    const run = await server.tactus.start(
      procedureOf('Sleep(3600) return Human.approve({ message = "Awake?" })'),
    );
    await waitUntil(async () => (await run.status()).waits.length === 1);
    await run.steer({ message: 'be brief' });
    await waitUntil(async () => (await run.status()).unheard?.length === 1);
    const text = await record(run);
    const exact = await readImport(text, { runId: `${run.runId}-2` });
    const [deadline] = Object.values(exact.start.carry.deadlines);
    const { since } = (await run.status()).waits[0] ?? { since: '' };
    expect(deadline).toBe(Date.parse(since) + 3_600_000);
    const again = await server.tactus.startImport(exact);
    await waitUntil(async () => (await again.status()).unheard?.[0]?.message === 'be brief');
    await Promise.all([run.terminate(), again.terminate()]);
  });

  it('what is signed for a run is left behind, and that is said; its times go along', async () => {
    const run = await server.tactus.start(source, {}, { settings: { signedDecisions: true } });
    const before = await named(run, 'Pay?');
    const { namespace } = server.client.options;
    const vote = { request: before.id, digest: before.digest, value: true, by: 'ann' };
    await run.decide(signDecision(vote, { namespace, key }));
    expect((await named(run, 'Pay?')).votes).toHaveLength(1);
    const imported = await readImport(await record(run), { runId: `${run.runId}-2` });
    expect(imported.leftBehind).toEqual([`what ann said on ${run.runId}/0: signed for ${run.runId}`]);
    const again = await server.tactus.startImport(imported);
    const after = await named(again, 'Pay?');
    expect(after.votes).toBeUndefined();
    expect(after).toMatchObject({ deadline: before.deadline, created_at: before.created_at });
    await Promise.all([run.terminate(), again.terminate()]);
  });
});

it('a fork has what came about before its checkpoint, and says what it leaves behind', async () => {
  const run = await server.tactus.start(
    procedureOf(`return Parallel {
      function() return Human.approve({ message = "Pay?", quorum = 2 }) end,
      function()
        local first = Human.input({ message = "First?" })
        local second = Human.approve({ message = "Second?", quorum = 2 })
        return { first, second, Event.wait("x", { timeout = 60 }) }
      end,
    }`),
  );
  const pay = await named(run, 'Pay?');
  await run.decide({ request: (await named(run, 'First?')).id, value: 'one', by: 'joe' });
  const second = await named(run, 'Second?');
  await run.decide({ request: pay.id, value: true, by: 'ann' });
  await run.decide({ request: second.id, value: true, by: 'bob' });
  await run.decide({ request: `${run.runId}/7`, value: 1, by: 'eve', early: true });
  await run.send('x', 'kept');
  const at = (await named(run, 'Second?')).position.replace(/\d+$/, '0');
  const fork = await readFork(run, { at, runId: `${run.runId}-2` });
  expect(fork.leftBehind).toEqual([
    `what bob said on ${second.id}: it is asked anew`,
    `the decision of eve on ${run.runId}/7: it was kept for a request that is asked another way`,
  ]);
  const forked = await server.tactus.startFork(fork);
  expect(await named(forked, 'Pay?')).toMatchObject({ votes: [{ by: 'ann' }], created_at: pay.created_at });
  await forked.decide({ request: (await named(forked, 'First?')).id, value: 'other', by: 'joe' });
  const anew = await named(forked, 'Second?');
  expect(anew.votes).toBeUndefined();
  for (const by of ['bob', 'eve']) await forked.decide({ request: anew.id, value: true, by });
  await forked.decide({ request: (await named(forked, 'Pay?')).id, value: true, by: 'bob' });
  expect(await forked.result()).toEqual([true, ['other', true, 'kept']]);
  await expectReplay(forked);
  await run.terminate();
});
