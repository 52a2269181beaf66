import { expect, it } from 'vitest';
import { signalNames } from '../../../src/contract/names.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { startWorker } from '../../support/test-worker.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startSkippingServer, startTimeSkippingServer } from '../../support/test-server.js';

const server = serverWithWorker(startTimeSkippingServer);

/** What ends by itself is last: a child that ends after its parent stops the time of this server for good. */
const source = procedureOf('return Procedure.run("child.tac", {})', {
  'child.tac': 'Procedure { function() return Human.approve("Go?") end }',
});

it('a child whose parent goes on is asked for days, and told in the end', async () => {
  const run = await server.tactus.start(source);
  const child = server.tactus.attach(`${run.runId}/0`);
  const [request] = await pendingOf(child);
  await server.env.sleep('3 days');
  expect(await child.decide({ request: request?.id ?? '', value: true })).toMatchObject({
    outcome: 'accepted',
  });
  expect(await run.result()).toBe(true);
});

it.each([{ ok: true }, { ok: false }, { ok: false, code: 'none', message: 'of ours' }, null, 'done'])(
  'a report of a child that is none is ignored: %j',
  async (outcome) => {
    const run = await server.tactus.start(source);
    const child = server.tactus.attach(`${run.runId}/0`);
    const [request] = await pendingOf(child);
    await run.handle.signal(signalNames.childClosed, { position: '0', outcome });
    await child.decide({ request: request?.id ?? '', value: true });
    expect(await run.result()).toBe(true);
    expect(failedTasks(await historiesOf(server.client, run.runId))).toEqual([]);
  },
);

it('a child whose parent was terminated asks nobody any longer, and says why it ended', async () => {
  // On this one a minute passes at once where a parent was terminated, too.
  const own = await startSkippingServer();
  const worker = await startWorker(own);
  const run = await own.tactus.start(source);
  const child = own.tactus.attach(`${run.runId}/0`);
  expect(await pendingOf(child)).toHaveLength(1);
  await run.handle.terminate();
  await expect(child.result()).rejects.toMatchObject({
    code: 'cancelled',
    message: `${run.runId} has ended, so nobody waits for this run any longer`,
  });
  const histories = await historiesOf(own.client, child.runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(own.client, child)).toEqual([]);
  await worker.stop();
  await own.stop();
});
