import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { warmModels } from '../../../src/activities/predictions/served/ask-host.js';
import { createModelHost } from '../../../src/activities/index.js';
import type { WarmModel } from '../../../src/contract/predictions/loaded-models.js';
import { createModelWorker } from '../../../src/worker/predictions/create-model-worker.js';
import { procedureOf } from '../../support/procedure-source.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer } from '../../support/test-server.js';
import { startWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** Models that are in memory before anybody asks. */

const kept = fileURLToPath(new URL('../../fixtures/models', import.meta.url));
const deps = { env: {}, filesRoot: '/nonexistent', procedureFolders: [], modelsFolder: kept };
const host = createModelHost();
afterAll(() => {
  host.close();
});

const onnx = (path: string): WarmModel => ({ type: 'onnx', settings: { path } });

it('are loaded with all that was asked of them, and not again with the first question', async () => {
  const said: { level: string; message: string; meta?: Record<string, unknown> }[] = [];
  const log = {
    info: (message: string, meta = {}) => said.push({ level: 'info', message, meta }),
    warn: (message: string) => said.push({ level: 'warn', message }),
  };
  const mood: WarmModel = { type: 'bert', settings: { path: 'mood' } };
  const wanted = [onnx('logit.onnx'), onnx('none.onnx'), onnx('opset.onnx'), mood];
  await warmModels({ ...deps, warmModels: wanted }, host, log, AbortSignal.timeout(60_000));
  const ofLevel = (level: string): typeof said => said.filter((line) => line.level === level);
  expect(ofLevel('info').map(({ meta }) => meta)).toMatchObject([{ path: 'logit.onnx' }, { path: 'mood' }]);
  expect(ofLevel('warn').map(({ message }) => message)).toEqual([
    expect.stringContaining("The model none.onnx could not be loaded ahead: none.onnx doesn't exist"),
    expect.stringMatching(/^The model opset.onnx could not be loaded ahead: .*Opset 9999/s),
  ]);
  const request = { type: 'onnx', place: join(kept, 'logit.onnx'), root: kept, path: 'logit.onnx' } as const;
  const { ok, held } = await host.ask(
    { ...request, settings: { labels: ['a', 'b'] }, inputs: [[1, 2, 3]], memoryBytes: 2e9 },
    AbortSignal.timeout(20_000),
  );
  expect([ok, held]).toEqual([true, { dropped: [] }]);
  expect(said).toHaveLength(4);
});

it('are loaded by workers of all kinds, and what can not be loaded keeps nobody from working', async () => {
  const server = await startDevServer();
  const folder = temporaryFolder('warm');
  await cp(join(kept, 'logit.onnx'), join(folder, 'logit.onnx'));
  const others = { modelsFolder: folder };
  const worker = await startWorker(server, {
    activities: { ...others, warmModels: [onnx('gone.onnx'), onnx('logit.onnx')] },
  });
  const ofQueue = await createModelWorker({
    connection: server.env.nativeConnection,
    taskQueue: 'gpu',
    activities: { ...deps, ...others, warmModels: [onnx('lost.onnx')] },
    worker: { shutdownGraceTime: '100ms' },
  });
  const running = ofQueue.run();
  try {
    const source = procedureOf('return model { type = "onnx", path = "logit.onnx" }({ 1, 2, 3 })');
    expect(await (await server.tactus.start(source, {})).result()).toBe(6);
    await waitUntil(() =>
      Promise.resolve(
        ['gone.onnx', 'lost.onnx'].every((path) =>
          server.logged.some((line) => line.includes('could not be loaded ahead') && line.includes(path)),
        ),
      ),
    );
  } finally {
    ofQueue.shutdown();
    await running;
    await worker.stop();
    await server.stop();
  }
});
