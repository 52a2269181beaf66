import { expect, it } from 'vitest';
import { upgradeRun } from '../../../src/client/changes/upgrade.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startTimeSkippingServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

const server = serverWithWorker(startTimeSkippingServer);

const waiting = (ask: string, by: string): ProcedureSource =>
  procedureOf(`local before = os.time()
${ask}
return { by = "${by}", days = (os.time() - before) // 86400 }`);

it.each([
  ['a timer', 'Sleep("21d")'],
  ['a request', 'Human.approve{ message = "Go?", timeout = "21d", default = true }'],
  ['an event', 'Event.wait("paid", { timeout = "21d" })'],
  ['a wait among branches', 'Parallel { function() Sleep("21d") end, function() Sleep("7d") end }'],
])('%s that is open for two weeks ends after three, by the new source', async (_, ask) => {
  const run = await server.tactus.start(waiting(ask, 'old'));
  await waitUntil(async () => (await run.status()).waits.length > 0);
  await server.env.sleep('14 days');
  const moved = await upgradeRun(run, waiting(ask, 'new'));
  expect(moved).toMatchObject({ verdict: 'fits', moved: true });
  expect(await run.result()).toEqual({ by: 'new', days: 21 });
  expect(failedTasks(await historiesOf(server.client, run.runId))).toEqual([]);
});

it('a timer of another length is another one: it begins anew where that is said', async () => {
  const run = await server.tactus.start(waiting('Sleep("21d")', 'old'));
  await waitUntil(async () => (await run.status()).waits.length > 0);
  await server.env.sleep('14 days');
  const shorter = waiting('Sleep("2d")', 'new');
  expect(await upgradeRun(run, shorter)).toMatchObject({ verdict: 'diverges', moved: false, line: 3 });
  expect(await upgradeRun(run, shorter, { mayAskAnew: true })).toMatchObject({ moved: true });
  expect(await run.result()).toEqual({ by: 'new', days: 16 });
  expect((await run.status()).changes).toMatchObject([{ open: { '0': 'asked_anew' } }]);
});
