import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { planChange } from '../../../src/client/changes/change-plan.js';
import { logOf } from '../../../src/client/changes/go-on.js';
import { upgradeRun, upgradeRuns } from '../../../src/client/changes/upgrade.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf, procedureSource } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { startDevServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startDevServer);
/** A shop whose answers wait to be given. */
let shop: Server;
let url: string;
const held: ServerResponse[] = [];
const paths: string[] = [];

beforeAll(async () => {
  shop = createServer(({ url: path = '' }, response) => {
    paths.push(path);
    held.push(response);
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
});
beforeEach(() => {
  held.length = 0;
  paths.length = 0;
});
afterAll(() => void shop.close());

const start = (source: ProcedureSource, options = {}) => server.tactus.start(source, {}, options);
const executionsOf = (run: TactusRun) => soundExecutions(server.client, run);
const arrived = (count: number) => waitUntil(() => Promise.resolve(held.length >= count));
const answer = (): void => held.splice(0).forEach((response) => response.end('ok'));
const update = (run: TactusRun, source: ProcedureSource) =>
  run.handle.startUpdate('upgrade', { args: [{ source }], waitForStage: 'ACCEPTED' });

const buys = (after: string): ProcedureSource =>
  procedureOf(`local one = http_client.get("${url}/one").body
local two = http_client.get("${url}/two").body
${after}
return { one = one, two = two, ok = Human.approve("Go?") }`);

describe('a change waits for its moment', () => {
  it('a call that is under way ends first, and nothing new begins before', async () => {
    const run = await start(buys('local v = "old"'));
    await arrived(1);
    const change = await update(run, buys('local v = "new"\nhttp_client.get("' + url + '/three")'));
    answer();
    expect(await change.result()).toMatchObject({ verdict: 'fits', moved: true, kept: 1 });
    await arrived(1);
    answer();
    await waitUntil(() => Promise.resolve(paths.length === 3));
    answer();
    const [request] = await pendingOf(run);
    await run.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toEqual({ one: 'ok', two: 'ok', ok: true });
    expect(paths).toEqual(['/one', '/two', '/three']);
    const [first] = await executionsOf(run);
    const begun = (first?.events ?? []).flatMap((event) =>
      event.activityTaskScheduledEventAttributes?.activityType?.name === 'httpRequest' ? ['http'] : [],
    );
    expect(begun).toEqual(['http']);
    // A worker that dies with the proof is noticed by its heartbeats, and not after the minutes that a long one may take.
    const proofs = (first?.events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityType?.name === 'proveChange'
        ? [Number(scheduled.heartbeatTimeout?.seconds ?? 0)]
        : [],
    );
    expect(proofs).toHaveLength(1);
    expect(proofs[0]).toBeGreaterThan(0);
  });

  it('where it does not fit by then, all goes on by the old source, what was held too', async () => {
    const run = await start(buys('local v = "old"'));
    await arrived(1);
    const change = await update(run, procedureOf(`return http_client.get("${url}/other").body`));
    answer();
    expect(await change.result()).toMatchObject({
      verdict: 'diverges',
      moved: false,
      diverges: { position: '0', line: 2 },
    });
    await arrived(1);
    answer();
    const [request] = await pendingOf(run);
    await run.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toEqual({ one: 'ok', two: 'ok', ok: true });
    expect(paths).toEqual(['/one', '/two']);
    expect(await executionsOf(run)).toHaveLength(1);
  });

  it('a run that ends before it, or is cancelled, says so', async () => {
    const run = await start(procedureOf(`http_client.get("${url}/one") return "old"`));
    await arrived(1);
    const change = await update(run, procedureOf(`http_client.get("${url}/one") Sleep(3600)`));
    await run.cancel();
    expect(await change.result()).toMatchObject({ verdict: 'ended', moved: false });
    answer();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    await executionsOf(run);
  });
});

describe('a run that is paused', () => {
  it('takes another source, stays paused, and goes on by it', async () => {
    const run = await start(buys('local v = "old"'));
    await arrived(1);
    await run.pause({ reason: 'a new price list' });
    answer();
    const source = buys(`http_client.get("${url}/three")`);
    expect(await upgradeRun(run, source)).toMatchObject({ verdict: 'fits', moved: true });
    expect(await run.status()).toMatchObject({ status: 'paused', paused: { reason: 'a new price list' } });
    expect(paths).toEqual(['/one']);
    await run.unpause();
    for (const count of [2, 3]) {
      await waitUntil(() => Promise.resolve(paths.length === count));
      answer();
    }
    const [request] = await pendingOf(run);
    await run.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toEqual({ one: 'ok', two: 'ok', ok: true });
    expect(paths).toEqual(['/one', '/two', '/three']);
    await executionsOf(run);
  });
});

describe('what is open goes along', () => {
  const waits = (text: string, more = ''): ProcedureSource =>
    procedureSource(
      `Procedure { function()
        local results = Parallel {
          function() return Procedure.run("child.tac", { n = 4 }) end,
          function() return Event.wait("paid") end,
          function() Sleep(2) return "slept" end,
          function() return Human.approve("Go?") end,
        }
        ${more}
        return { results = results, by = "${text}" }
      end }`,
      {
        'child.tac': `Procedure { input = { n = field.integer {} }, function(input) Human.approve("Child?") return input.n + 1 end }`,
      },
    );

  it('a child, an event, a timer and a request', async () => {
    const run = await start(waits('old'));
    const child = await waitUntil(async () => (await run.status()).children[0] ?? false);
    await pendingOf(run);
    await pendingOf(server.tactus.attach(child));
    const started = (await run.status()).waits;
    const moved = await upgradeRun(run, waits('new', 'checkpoint(function() return 1 end)'));
    expect(moved).toMatchObject({ verdict: 'fits', moved: true });
    expect(moved.plan?.children).toEqual([{ run_id: child, becomes: 'kept' }]);
    const since = (waitsOf: typeof started) => waitsOf.map(({ position, since: at }) => [position, at]);
    const now = await waitUntil(async () => {
      const { waits: found } = await run.status();
      return found.length === started.length && found;
    });
    expect(since(now)).toEqual(since(started));
    await run.send('paid', 5);
    for (const each of [run, server.tactus.attach(child)]) {
      const [request] = await pendingOf(each);
      await each.decide({ request: request?.id ?? '', value: true });
    }
    expect(await run.result()).toEqual({ results: [5, 5, 'slept', true], by: 'new' });
    const [, second] = await executionsOf(run);
    const children = (second?.events ?? []).filter(
      (event) => event.childWorkflowExecutionStartedEventAttributes,
    );
    expect(children).toEqual([]);
  });

  it('a child that is asked for with another input is ended where that is agreed to, and else a divergence', async () => {
    const run = await start(waits('old'));
    const child = await waitUntil(async () => (await run.status()).children[0] ?? false);
    await pendingOf(server.tactus.attach(child));
    const text = waits('new').files['main.tac']?.replace('n = 4', 'n = 7') ?? '';
    const source = { ...waits('new'), files: { ...waits('new').files, 'main.tac': text } };
    expect(await upgradeRun(run, source)).toMatchObject({ verdict: 'diverges', moved: false, line: 3 });
    const moved = await upgradeRun(run, source, { mayAskAnew: true });
    expect(moved.plan?.children).toEqual([{ run_id: child, becomes: 'started_anew' }]);
    expect(moved).toMatchObject({ moved: true });
    const again = await waitUntil(async () => {
      const [request] = await server.tactus
        .attach(child)
        .pending()
        .catch(() => []);
      const { waits: found } = await run.status();
      return found.length > 2 && request !== undefined && request;
    });
    await server.tactus.decide({ request: again.id, value: true });
    await run.send('paid', 5);
    const own = (await run.pending()).find(({ message }) => message === 'Go?');
    await run.decide({ request: own?.id ?? '', value: true });
    expect(await run.result()).toMatchObject({ results: [8, 5, 'slept', true], by: 'new' });
    await executionsOf(run);
  });

  it('what is kept of events, votes and early decisions, beside continue-as-new and passes', async () => {
    const source = (by: string): ProcedureSource =>
      procedureOf(`for i = 1, 30 do checkpoint(function() return i end) end
local got = Event.wait("late")
local ok = Human.approve("Go?")
return { got = got, ok = ok, by = "${by}" }`);
    const run = await start(source('old'), { limits: { historyEvents: 20 } });
    await run.send('other', 1);
    await waitUntil(async () => (await run.status()).waits.length > 0);
    expect(await upgradeRun(run, source('new'))).toMatchObject({ moved: true });
    await run.send('late', 'x');
    const [request] = await pendingOf(run);
    expect(await upgradeRun(run, source('newer'))).toMatchObject({ moved: true });
    await run.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toEqual({ got: 'x', ok: true, by: 'newer' });
    await executionsOf(run);
  });
});

it('what has ended since the run was asked what it waits for is no divergence', async () => {
  const source = (note: string) =>
    procedureOf(`Sleep(0.1)\nlocal ok = Human.approve("Go?")\nreturn { ok = ok, note = "${note}" }`);
  const run = await start(source('old'));
  await pendingOf(run);
  const started = await run.started();
  const log = await logOf(run);
  expect(log.map(({ position }) => position)).toEqual(['0']);
  const to = { ...started, start: { ...started.start, source: source('new') } };
  const { plan } = await planChange({
    from: { runId: run.runId, started, log, requests: [] },
    to: { runId: run.runId, started: to, kept: log },
    open: ['0', '1'],
  });
  expect(plan.diverges).toBeNull();
  await run.cancel();
});

describe('many runs', () => {
  it('of a procedure, moved together while their decisions arrive: none is asked twice, and none is lost', async () => {
    const source = (by: string): ProcedureSource => ({
      entry: 'many.tac',
      files: {
        'many.tac': `Procedure { function() local ok = Human.approve("Go?") return { ok = ok, by = "${by}", n = checkpoint(function() return 1 end) } end }`,
      },
    });
    const runs = await Promise.all(Array.from({ length: 30 }, () => start(source('old'))));
    const requests = await Promise.all(runs.map(async (run) => (await pendingOf(run))[0]?.id ?? ''));
    await waitUntil(
      async () =>
        (await server.tactus.list({ procedure: 'many', isOpen: true, limit: 100 })).runs.length === 30,
    );
    const first = await upgradeRuns(server.tactus, { procedure: 'many' }, source('new'), { limit: 10 });
    expect(first.filter(({ moved }) => moved)).toHaveLength(10);
    const deciding = Promise.all(requests.map((request) => server.tactus.decide({ request, value: true })));
    const rest = await upgradeRuns(
      server.tactus,
      runs.map(({ runId }) => runId),
      source('new'),
    );
    expect(rest.every(({ verdict }) => ['fits', 'ended'].includes(verdict))).toBe(true);
    expect((await deciding).map(({ outcome }) => outcome)).toEqual(requests.map(() => 'accepted'));
    const results = await Promise.all(runs.map((run) => run.result()));
    const moved = new Set([...first, ...rest].filter((run) => run.moved).map(({ run_id: id }) => id));
    expect(results).toEqual(
      runs.map(({ runId }) => ({ ok: true, by: moved.has(runId) ? 'new' : 'old', n: 1 })),
    );
    for (const run of runs.slice(0, 12)) await executionsOf(run);
  });

  it('one that cannot be asked keeps nobody from the others', async () => {
    const run = await start(procedureOf('return Human.approve("Go?")'));
    await pendingOf(run);
    const upgraded = await upgradeRuns(
      server.tactus,
      ['no-such-run', run.runId],
      procedureOf('return Human.approve("Go?") == true'),
    );
    expect(upgraded.map(({ verdict, moved }) => [verdict, moved]).sort()).toEqual([
      ['failed', false],
      ['fits', true],
    ]);
    await run.cancel();
  });
});
