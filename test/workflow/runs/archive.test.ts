import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArchive } from '../../../src/client/runs/archive.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { replayArchive } from '../../../src/worker/runs/replay-archive.js';
import { withPayloadStore, type PayloadStore } from '../../../src/worker/payloads/store/payload-store.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { aesCodec } from '../../support/aes-codec.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const by = 'test 1';
const secret = 'the password is swordfish';
/** Several executions, as short histories go on in another one. */
const limits = { historyEvents: 8 };
const reading = procedureOf(`
  local length = 0
  for i = 1, 4 do length = length + #File.read(input.file) end
  for i = 1, 4 do Sleep(0.001) end
  return { said = input.said, length = length }`);
const [short, long] = [
  { said: secret, file: 'short.txt' },
  { said: secret, file: 'noise.txt' },
];
const noise = randomBytes(500_000).toString('base64');

let server: TestServer;
let filesRoot: string;
let worker: TestWorker;

beforeAll(async () => {
  server = await startDevServer();
  filesRoot = temporaryFolder('archive');
  await writeFile(join(filesRoot, 'short.txt'), 'short');
  await writeFile(join(filesRoot, 'noise.txt'), noise);
  worker = await startWorker(server, { activities: { filesRoot } });
});

afterAll(async () => {
  await worker.stop();
  await server.stop();
});

/** A client of its own kind, and a worker for what it starts. */
async function beside(
  taskQueue: string,
  encrypting: DataConverter,
  work: (tactus: TactusClient) => Promise<void>,
  payloadStore?: PayloadStore,
): Promise<void> {
  const own = await startWorker(server, {
    ...{ taskQueue, activities: { filesRoot }, worker: { dataConverter: encrypting } },
    ...(payloadStore === undefined ? {} : { payloadStore }),
  });
  const dataConverter = withPayloadStore(encrypting, payloadStore);
  const client = new Client({ connection: server.env.connection, dataConverter });
  try {
    await work(new TactusClient(client, { taskQueue }));
  } finally {
    await own.stop();
  }
}

describe('an archive', () => {
  it('has all executions of a run, and leads each of them the same way', async () => {
    const run = await server.tactus.start(reading, short, { limits });
    const output = { said: secret, length: 20 };
    expect(await run.result()).toEqual(output);
    const archive = await readArchive(await server.tactus.archive(run.runId, by), 'archive');
    expect(archive).toMatchObject({
      ...{ run_id: run.runId, procedure: 'main', status: 'completed', output, error: null },
      versions: { package: by },
      started: { start: { source: reading, input: short } },
      log: await run.log(),
    });
    expect(archive.log.execution_log).toHaveLength(8);
    const { histories } = archive;
    expect(histories.length).toBeGreaterThan(1);
    const before = histories.map(
      ({ history }) => history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId,
    );
    expect(before.slice(1)).toEqual(histories.slice(0, -1).map(({ execution }) => execution));
    expect(await replayArchive(archive)).toEqual([]);
    const many = Array.from({ length: 200 }, (_, at) => histories[at % histories.length]!);
    expect(await replayArchive({ ...archive, histories: many })).toEqual([]);
    // As of an execution that is yet to begin.
    const [first] = histories;
    const unbegun = { ...first!, history: { events: first!.history.events?.slice(0, 1) ?? [] } };
    expect(await replayArchive({ ...archive, histories: [unbegun, ...histories, unbegun] })).toEqual([]);
  });

  it('names the executions that this build leads another way', async () => {
    const run = await server.tactus.start(reading, short, { limits });
    await run.result();
    const archive = await readArchive(await server.tactus.archive(run.runId, by), 'archive');
    const [first, ...others] = archive.histories;
    const changed = structuredClone(first!);
    const markers = changed.history.events?.flatMap((event) => event.markerRecordedEventAttributes ?? []);
    markers!.at(-1)!.markerName = 'another';
    const problems = await replayArchive({ ...archive, histories: [...others, changed, ...others] });
    expect(problems).toEqual([
      { execution: changed.execution, message: expect.stringContaining('MarkerRecorded') as string },
    ]);
  });

  it('of a run that goes on, has failed, or was terminated, says so', async () => {
    const { tactus } = server;
    const archived = async (runId: string) => readArchive(await tactus.archive(runId, by), 'archive');
    const open = await tactus.start(procedureOf('return Human.input { message = "Who?" }'));
    await pendingOf(open);
    const waiting = await archived(open.runId);
    expect(waiting).toMatchObject({ status: 'waiting_for_human', output: null, error: null });
    expect(await replayArchive(waiting)).toEqual([]);
    await open.terminate();
    expect(await archived(open.runId)).toMatchObject({
      ...{ status: 'terminated', output: null, error: { code: expect.any(String) as string } },
      log: { status: 'terminated' },
    });
    const failing = await tactus.start(procedureOf('Sleep(0.001) error("no more")'));
    await expect(failing.result()).rejects.toThrow('no more');
    const failed = await archived(failing.runId);
    expect(failed).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('no more') as string },
    });
    expect(await replayArchive(failed)).toEqual([]);
  });

  it('is refused of a run that is none, or that shows no content', async () => {
    const { tactus } = server;
    await expect(tactus.archive('nobody', by)).rejects.toMatchObject({ code: 'run_not_found' });
    const hidden = await tactus.start(reading, short, { settings: { showContent: false } });
    await hidden.result();
    await expect(tactus.archive(hidden.runId, by)).rejects.toMatchObject({ code: 'usage' });
  });

  it('is as encrypted as the histories are', async () => {
    const dataConverter = { payloadCodecs: [aesCodec(randomBytes(32))] };
    await beside('encrypted', dataConverter, async (tactus) => {
      const run = await tactus.start(reading, short, { limits });
      const output = await run.result();
      const packed = await tactus.archive(run.runId, by);
      expect(gunzipSync(packed).toString()).not.toContain('swordfish');
      await expect(readArchive(packed, 'archive')).rejects.toMatchObject({
        code: 'file_failed',
        message: expect.stringContaining('its content is encoded') as string,
      });
      const archive = await readArchive(packed, 'archive', tactus.client.options.loadedDataConverter);
      expect(archive).toMatchObject({ output, log: await run.log() });
      expect(archive.histories.length).toBeGreaterThan(1);
      const named = archive.histories.map(({ history }) => ({ workflowId: run.runId, history }));
      expect(await replayHistories(named, { dataConverter })).toEqual([]);
    });
  });

  it('has what a payload store keeps, and stays as encrypted as that', async () => {
    const folder = temporaryFolder('archive-store');
    const encrypting = { payloadCodecs: [aesCodec(randomBytes(32))] };
    const store = new FilePayloadStore(folder);
    const work = async (tactus: TactusClient): Promise<void> => {
      const run = await tactus.start(reading, long, { limits });
      const output = await run.result();
      const packed = await tactus.archive(run.runId, by);
      const log = await run.log();
      await rm(folder, { recursive: true });
      expect(gunzipSync(packed).toString()).not.toContain('swordfish');
      const { loadedDataConverter } = new Client({
        connection: server.env.connection,
        dataConverter: encrypting,
      }).options;
      const archive = await readArchive(packed, 'archive', loadedDataConverter);
      expect(archive).toMatchObject({ output, log });
      expect(archive.histories.length).toBeGreaterThan(1);
      const named = archive.histories.map(({ history }) => ({ workflowId: run.runId, history }));
      expect(await replayHistories(named, { dataConverter: encrypting })).toEqual([]);
    };
    await beside('stored', encrypting, work, store);
  });
});
