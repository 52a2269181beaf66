import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { historiesOf } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const folder = temporaryFolder('runs-with-data-files');
let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  await cp(fileURLToPath(new URL('../../fixtures/data-files', import.meta.url)), folder, { recursive: true });
  server = await startDevServer();
  worker = await startWorker(server, { activities: { filesRoot: folder } });
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
});

it('files of data are read and written once, and recorded', async () => {
  const source = procedureOf(`
    local parquet = require("tactus.io.parquet")
    local excel = require("tactus.io.excel")
    local hdf5 = require("tactus.io.hdf5")
    local people = parquet.read("people.parquet")
    local scores = {}
    for i, each in ipairs(people) do scores[i] = each.score end
    hdf5.write("scores.h5", "of/people", scores)
    excel.write("people.xlsx", people, {sheet = "People"})
    parquet.write("again.parquet", excel.read("people.xlsx"))
    local ok, why = pcall(excel.read, "people.parquet")
    return {
      scores = hdf5.read("scores.h5", "of/people"),
      datasets = hdf5.list("scores.h5"),
      sheets = excel.sheets("people.xlsx"),
      names = Parallel.map(parquet.read("again.parquet"), function(row) return row.name end),
      born = parquet.read("again.parquet")[1].born,
      why = not ok and why,
    }`);
  const run = await server.tactus.start(source, {});
  expect(await run.result()).toEqual({
    scores: [95, 87, -1],
    datasets: ['of/people'],
    sheets: ['People'],
    names: ['Ann', 'Bo', '日本'],
    born: '2001-02-03T04:05:06',
    why: expect.stringMatching(/^people\.parquet can't be read as excel: it is no workbook/) as string,
  });
  const { execution_log: log } = await run.log();
  expect(log.filter(({ type }) => type === 'file').map(({ name, status }) => `${name} ${status}`)).toEqual([
    'read people.parquet completed',
    'write scores.h5 completed',
    'write people.xlsx completed',
    'read people.xlsx completed',
    'write again.parquet completed',
    'read people.parquet failed',
    'read scores.h5 completed',
    'list scores.h5 completed',
    'list people.xlsx completed',
    'read again.parquet completed',
    'read again.parquet completed',
  ]);
  const histories = await historiesOf(server.client, run.runId);
  const started = histories.flatMap(({ events }) =>
    (events ?? []).flatMap(({ activityTaskStartedEventAttributes: each }) => each?.attempt ?? []),
  );
  expect(started).toEqual(Array(11).fill(1));
  expect(await replayRun(server.client, run)).toEqual([]);
});
