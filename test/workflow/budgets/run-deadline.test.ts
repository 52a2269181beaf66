import { expect, it } from 'vitest';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startTimeSkippingServer } from '../../support/test-server.js';

/** Of its own: the server skips no more time where a child has ended after its parent. */
const server = serverWithWorker(startTimeSkippingServer);

const asks = 'Procedure { function() return Human.input { message = "Name?" } end }';

it('a deadline of the run cancels all that is under way, and is what the run fails with', async () => {
  const main = `Procedure { deadline = "2d", function()
    pcall(function()
      Parallel {
        function() return Human.approve("In time?") end,
        function() return Procedure.run("child.tac") end,
        function() return Event.wait("never") end,
        function() Sleep("9d") end,
      }
    end)
    return "never"
  end }`;
  const run = await server.tactus.start(procedureSource(main, { 'child.tac': asks }));
  await pendingOf(run);
  const child = server.tactus.attach(`${run.runId}/1.1.0`);
  await pendingOf(child);
  await expect(run.result()).rejects.toThrow();
  expect((await run.status()).error).toMatchObject({
    code: 'deadline_exceeded',
    message: "procedure 'main' was not done within its deadline of 172800 s",
  });
  expect(await run.status()).toMatchObject({ pending: [], waits: [] });
  await expect(child.result()).rejects.toThrow();
  expect(await server.tactus.pending(child.runId)).toEqual([]);
  expect(await replayRun(server.client, run)).toEqual([]);
});
