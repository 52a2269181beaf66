import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { viewRun } from '../../../src/client/runs/view-run.js';
import { createModelWorker } from '../../../src/worker/predictions/create-model-worker.js';
import { awsCredentials } from '../../support/aws-credentials.js';
import { activityAttempts } from '../../support/activity-attempts.js';
import { historiesOf, scheduledOn, type History } from '../../support/histories.js';
import { procedureSource } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { startSageMaker, type SageMakerStandIn } from '../../support/sagemaker-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

let server: TestServer;
let worker: TestWorker;
let sagemaker: SageMakerStandIn;

beforeAll(async () => {
  for (const [name, value] of Object.entries(awsCredentials)) vi.stubEnv(name, value);
  server = await startDevServer();
  worker = await startWorker(server);
  sagemaker = await startSageMaker();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await worker.stop();
  await sagemaker.close();
  await server.stop();
});
beforeEach(() => {
  sagemaker.invoked.length = 0;
  sagemaker.reply(({ body }) => ({ json: { label: Number(body) > 2 ? 'large' : 'small' }, variant: 'A' }));
});

const model = (fields = ''): string =>
  `size = Model { type = "sagemaker", endpoint = "size", region = "eu-west-1", base_url = "${sagemaker.url}", ${fields} }`;

async function historyOf(run: TactusRun): Promise<History> {
  const [history = {}] = await historiesOf(server.client, run.runId);
  expect(await replayHistories([{ workflowId: run.runId, history }])).toEqual([]);
  return history;
}

it('is asked once for each prediction, failures in between or not, and once for many', async () => {
  let asked = 0;
  sagemaker.reply(({ body }) =>
    ++asked === 1
      ? { error: { status: 503, type: 'ServiceUnavailable', message: 'Later' } }
      : { json: { label: `n${body}` }, variant: asked > 2 ? 'B' : 'A' },
  );
  const run = await server.tactus.start(
    procedureSource(`${model()}
    Procedure { function()
      local one = size(1)
      local many = {}
      for i, each in ipairs(size.predict_batch({ 2, 3, 4 })) do many[i] = each.output.label end
      return { one = one, many = many }
    end }`),
    {},
  );
  expect(await run.result()).toEqual({
    one: { output: { label: 'n1' }, backend_type: 'sagemaker', model_version: 'A' },
    many: ['n2', 'n3', 'n4'],
  });
  const history = await historyOf(run);
  expect([...activityAttempts([history]).values()]).toEqual([2, 1]);
  const { execution_log: log } = await run.log();
  expect(log.map(({ type, name }) => `${type} ${name}`)).toEqual([
    'model_predict size',
    'model_predict size',
  ]);
  expect((await run.status()).logs).toMatchObject([
    {
      level: 'warning',
      message: expect.stringContaining('another one than this run has asked before') as string,
    },
  ]);
});

it('with a queue of its own waits for a worker there, which the run says, and goes on once there is one', async () => {
  const run = await server.tactus.start(
    procedureSource(`${model('task_queue = "gpu"')}
    Procedure { function() return size(3).output.label end }`),
    {},
  );
  await waitUntil(async () => (await viewRun(run)).unserved !== undefined);
  expect((await viewRun(run)).unserved).toMatchObject([{ task_queue: 'gpu' }]);
  expect(sagemaker.invoked).toEqual([]);
  const elsewhere = await createModelWorker({
    connection: server.env.nativeConnection,
    ...(server.env.namespace === undefined ? {} : { namespace: server.env.namespace }),
    ...{ taskQueue: 'gpu', activities: { env: {}, filesRoot: '.', procedureFolders: [] } },
    worker: { shutdownGraceTime: '100ms' },
  });
  expect(await elsewhere.runUntil(run.result())).toBe('large');
});

it.each([
  ['by its type, where the settings have one for it', { sagemaker: 'elsewhere' }, 'elsewhere'],
  ['else where the run is', {}, 'tactus'],
])('is asked %s', async (_, modelQueues, queue) => {
  const run = await server.tactus.start(
    procedureSource(`${model()} Procedure { function() return size(1).output.label end }`),
    {},
    { settings: { modelQueues } },
  );
  await waitUntil(async () => scheduledOn((await historiesOf(server.client, run.runId))[0] ?? {}).length > 0);
  expect(scheduledOn((await historiesOf(server.client, run.runId))[0] ?? {})).toEqual([
    `runModel on ${queue}`,
  ]);
  if (queue === 'tactus') expect(await run.result()).toBe('small');
  else await run.terminate('seen');
});

it('that Python loads is waited for on the queue of workers in Python', async () => {
  const run = await server.tactus.start(
    procedureSource(
      `m = Model { type = "sklearn", path = "m.skops" } Procedure { function() return m(1) end }`,
    ),
    {},
  );
  await waitUntil(async () => (await viewRun(run)).unserved !== undefined);
  expect((await viewRun(run)).unserved).toMatchObject([{ task_queue: 'tactus-python' }]);
  await run.terminate('seen');
});

it('votes with others, in one checkpoint', async () => {
  const member = model().replace(/^size = Model /, '');
  const run = await server.tactus.start(
    procedureSource(`
    size = Model { type = "ensemble", members = { ${member}, ${member}, { type = "mock", value = { label = "small" } } } }
    Procedure { function() return size(3) end }`),
    {},
  );
  expect(await run.result()).toMatchObject({
    output: { label: 'large' },
    metadata: { votes: [{ label: 'large' }, { label: 'large' }, { label: 'small' }] },
  });
  await historyOf(run);
});
