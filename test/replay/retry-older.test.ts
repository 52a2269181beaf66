import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRetry } from '../../src/client/changes/retry.js';
import { TactusClient } from '../../src/client/tactus-client.js';
import type { ProcedureSource } from '../../src/contract/procedures/source.js';
import { keptBundle, keptVersions } from '../support/kept-bundle.js';
import { answerByRequest } from '../support/model-answers.js';
import { procedureOf } from '../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { sampled } from '../support/sampled.js';
import { soundExecutions } from '../support/sound-executions.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';

let server: TestServer;
let provider: ProviderStandIn;
beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  provider.reply(answerByRequest);
});
afterAll(async () => {
  await provider.close();
  await server.stop();
});

const workerOf = (taskQueue: string, worker: object = {}): Promise<TestWorker> =>
  startWorker(server, {
    taskQueue,
    activities: { env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` } },
    worker,
  });

const child = (no: string): string => `Procedure { function(input)
  local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
  local paid = score({ n = 1 }).output.score
  if not Human.approve("Good?") then ${no} end
  return paid
end }`;
const around = (body: string, no: string): ProcedureSource =>
  procedureOf(
    `local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
     local paid = score({ n = 2 }).output.score
     ${body}`,
    { 'child.tac': child(no) },
  );

// The newest one always: most runs are of it.
const versions = sampled(keptVersions(), 2, (version) => version === keptVersions().at(-1));

describe.each(versions)('a run of %s that failed by a child run', (version) => {
  const call = 'return paid + Procedure.run("child.tac", { endpoint = input.endpoint })';
  const spawn = `local id = Procedure.spawn("child.tac", { endpoint = input.endpoint })
    return paid + Procedure.wait(id)`;

  it.each([
    { how: 'goes on with one that it called', body: call, isLate: false },
    { how: 'goes on with one that it spawned', body: spawn, isLate: false },
    { how: 'hears of one that has ended before it is there', body: spawn, isLate: true },
  ])('$how', async ({ how, body, isLate }) => {
    const taskQueue = `${version}, ${how}`;
    const tactus = new TactusClient(server.client, { searchAttributes: true, taskQueue });
    const old = await workerOf(taskQueue, { workflowBundle: { codePath: keptBundle(version) } });
    const input = { endpoint: `${provider.url}/score` };
    const run = await tactus.start(around(body, 'error("nobody likes it")'), input);
    const [asked] = await waitUntil(async () => {
      const pending = await tactus.pending(run.runId);
      return pending.length === 1 && pending;
    });
    const of = tactus.attach(asked?.run_id ?? '');
    await of.decide({ request: asked?.id ?? '', value: false, by: 'ann' });
    await expect(run.result()).rejects.toThrow('nobody likes it');
    await waitUntil(async () => (await of.handle.describe()).status.name === 'FAILED');
    await old.stop();
    const paid = provider.requests.length;

    const current = await workerOf(taskQueue);
    try {
      // The same would only fail again, which a call may do once alone.
      await expect(readRetry(run)).rejects.toMatchObject({
        code: body === call ? 'change_refused' : 'child_failed',
      });
      const source = around(body, 'checkpoint(function() end)');
      const { children = [], ...alone } = await readRetry(run, { source });
      expect(alone.plan.children).toEqual([{ run_id: of.runId, becomes: 'adopted' }]);
      expect(children).toHaveLength(1);
      for (const each of children) await tactus.startFork(each);
      if (isLate) await of.result();
      await tactus.startFork(alone);
      expect(await run.result()).toBe(0.75);
      expect(provider.requests.length).toBe(paid);
      await soundExecutions(server.client, run);
      await soundExecutions(server.client, of);
    } finally {
      await current.stop();
    }
  });
});
