import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { historiesOf } from '../../support/histories.js';
import { oneExecution } from '../../support/one-execution.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const folder = temporaryFolder('looks-together');
let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  await mkdir(join(folder, 'large'), { recursive: true });
  await writeFile(join(folder, 'a.txt'), 'A');
  await writeFile(join(folder, 'b.txt'), 'B');
  for (const name of ['1', '2', '3']) await writeFile(join(folder, 'large', name), name.repeat(60_000));
  server = await startDevServer();
  worker = await startWorker(server, { activities: { filesRoot: folder } });
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
});

interface LocalActivity {
  name: string;
  outcomes: number;
  summary: string;
}

/** The local activities of a run in their order. */
async function localsOf({ runId }: TactusRun): Promise<LocalActivity[]> {
  const histories = await historiesOf(server.client, runId);
  return histories.flatMap(({ events }) => (events ?? []).flatMap(localOf));
}

function localOf({
  markerRecordedEventAttributes: marker,
  userMetadata,
}: temporal.api.history.v1.IHistoryEvent): LocalActivity[] {
  if (marker?.markerName !== 'core_local_activity') return [];
  const json = (data: Uint8Array | null | undefined): unknown =>
    JSON.parse(new TextDecoder().decode(data ?? undefined));
  const { activity_type: name } = json(marker.details?.['data']?.payloads?.[0]?.data) as {
    activity_type: string;
  };
  const { value } = json(marker.details?.['result']?.payloads?.[0]?.data) as { value: unknown };
  const summary = userMetadata?.summary?.data ? (json(userMetadata.summary.data) as string) : '';
  return [{ name, summary, outcomes: Array.isArray(value) ? value.length : 1 }];
}

it('looks at files that wait at the same time are one local activity', async () => {
  const source = procedureOf(`
    local found = Parallel({
      function() return File.read("a.txt") end,
      function() return pcall(File.read, "missing.txt") end,
      function() return File.exists("b.txt") end,
      function() return File.size("b.txt") end,
    })
    return { found[1], found[2], found[3], found[4], File.read("b.txt") }`);
  const run = await server.tactus.start(source, {}, { limits: oneExecution });
  expect(await run.result()).toEqual(['A', false, true, 1, 'B']);
  expect(await localsOf(run)).toEqual([
    { name: 'fileOutcomes', outcomes: 4, summary: expect.stringMatching(/a\.txt and 3 more$/) as string },
    { name: 'fileOutcome', outcomes: 1, summary: expect.stringMatching(/b\.txt$/) as string },
  ]);
  const { execution_log: log } = await run.log();
  expect(log.filter(({ type }) => type === 'file').map(({ name, status }) => `${name} ${status}`)).toEqual([
    'read a.txt completed',
    'read missing.txt failed',
    'exists b.txt completed',
    'size b.txt completed',
    'read b.txt completed',
  ]);
  expect(await replayRun(server.client, run)).toEqual([]);
});

it('texts that are too large for one answer come in several', async () => {
  const source = procedureOf(`
    return Parallel.map({"large/1", "large/2", "large/3", "a.txt"}, function(path) return #File.read(path) end)`);
  const run = await server.tactus.start(source, {}, { limits: oneExecution });
  expect(await run.result()).toEqual([60_000, 60_000, 60_000, 1]);
  expect((await localsOf(run)).map(({ name, outcomes }) => `${name} ${outcomes}`)).toEqual([
    'fileOutcomes 1',
    'fileOutcomes 1',
    'fileOutcomes 2',
  ]);
  expect(await replayRun(server.client, run)).toEqual([]);
});

it('a change stays where it stands among them', async () => {
  const source = procedureOf(`
    File.write("c.txt", "old")
    return Parallel({
      function() return File.read("c.txt") end,
      function() return File.exists("c.txt") end,
      function() return File.write("c.txt", "new") end,
      function() return File.read("c.txt") end,
      function() return File.read("a.txt") end,
    })`);
  const run = await server.tactus.start(source, {}, { limits: oneExecution });
  expect(await run.result()).toEqual(['old', true, true, 'new', 'A']);
  expect((await localsOf(run)).map(({ name, outcomes }) => `${name} ${outcomes}`)).toEqual([
    'fileOutcome 1',
    'fileOutcomes 2',
    'fileOutcome 1',
    'fileOutcomes 2',
  ]);
  expect(await replayRun(server.client, run)).toEqual([]);
});

it('a branch that is given up when an answer came is told of none', async () => {
  const source = procedureOf(`
    local told = {}
    local ok = pcall(Parallel, {
      function() told[#told + 1] = File.read("a.txt") error("enough") end,
      function() told[#told + 1] = File.read("b.txt") end,
    })
    return { ok, told, File.exists("b.txt") }`);
  const run = await server.tactus.start(source, {}, { limits: oneExecution });
  expect(await run.result()).toEqual([false, ['A'], true]);
  expect((await localsOf(run)).map(({ name, outcomes }) => `${name} ${outcomes}`)).toEqual([
    'fileOutcomes 2',
    'fileOutcome 1',
  ]);
  expect(await replayRun(server.client, run)).toEqual([]);
});
