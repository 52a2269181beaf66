import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonValue } from '../../src/contract/json/json.js';
import { workflowType } from '../../src/contract/names.js';
import type { StartInput } from '../../src/contract/runs/start-input.js';
import { answerRequests } from '../support/answer-requests.js';
import { startChildWorker } from '../support/child-worker.js';
import { runFake } from '../support/fake-host.js';
import { failedTasks, historiesOf } from '../support/histories.js';
import { replayRun } from '../support/replay-histories.js';
import { seededRandom } from '../support/seeded-random.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker } from '../support/test-worker.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { killWorkersUntil } from './kill-workers-until.js';

const seed = 7;
const runId = 'long-haul';
/** A round has some 250 effects. `LONG_ROUNDS=8 npm test -- test/fault/long-run` is as long as runs are promised to be. */
const rounds = Number(process.env['LONG_ROUNDS'] ?? 2);
const input = { rounds, branches: 50 };
const historyEvents = 120;
/** A run that is over sooner has its workers killed sooner. */
const shortestLifeMs = rounds * 150;
/** A busy machine needs longer than the first workers live to replay the run: each may live longer than the one before it. */
const lifeGrows = 1.3;
/** After so many kills, one lives on. */
const mostKills = 12;

let server: TestServer;
let filesRoot: string;

beforeAll(async () => {
  server = await startDevServer();
  filesRoot = temporaryFolder('long-haul');
  await mkdir(join(filesRoot, 'notes'));
  for (let j = 1; j <= 5; j++)
    await writeFile(join(filesRoot, 'notes', `${j}.txt`), `content of notes/${j}.txt`);
});

afterAll(() => server.stop());

it(`${rounds * 250} effects come out the same, whatever is killed on the way`, async () => {
  const text = await readFile(new URL('procedures/long-haul.tac', import.meta.url), 'utf8');
  const start: StartInput = {
    source: { entry: 'main.tac', files: { 'main.tac': text } },
    input,
    limits: { historyEvents },
  };
  const handle = await server.client.workflow.start(workflowType, {
    args: [start],
    workflowId: runId,
    taskQueue: runId,
    workflowTaskTimeout: '2s',
  });
  const answers = answerRequests(server.tactus, runId, () => true);
  const result = handle.result() as Promise<JsonValue>;
  const random = seededRandom(seed);
  const kills = await killWorkersUntil(
    result.catch(() => undefined),
    {
      start: () => startChildWorker({ address: server.env.address, taskQueue: runId, filesRoot }),
      lifeMs: (before) => (1 + 3 * random()) * shortestLifeMs * lifeGrows ** before,
      overlaps: () => random() < 0.5,
      mostKills,
    },
  );
  await answers.stop();

  const undisturbed = runFake(text, { input, seed: `${runId}/${handle.firstExecutionRunId}` });
  if (undisturbed.ended?.kind !== 'completed') throw new Error('the undisturbed run must complete');
  expect(
    undisturbed.performed.length + countOf(undisturbed.program.log.entries, 'tool_call'),
  ).toBeGreaterThan(rounds * 250);

  expect(await result).toEqual(undisturbed.ended.output);

  const survivor = await startWorker(server, { taskQueue: runId });
  try {
    const run = server.tactus.attach(runId);
    const { execution_log: log } = await run.log();
    expect(comparable(log)).toEqual(comparable(undisturbed.program.log.entries));
    const view = await run.status();
    expect(view.printed).toHaveLength(input.rounds);
    expect([view.status, view.waits, view.pending]).toEqual(['completed', [], []]);
  } finally {
    await survivor.stop();
  }
  const histories = await historiesOf(server.client, runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(server.client, { runId })).toEqual([]);
  console.log(
    `${undisturbed.program.log.entries.length} checkpoints, ${kills} kills, ${histories.length} executions`,
  );
  expect(kills).toBeGreaterThanOrEqual(3);
  expect(histories.length).toBeGreaterThanOrEqual(4);
}, 900_000);

/** A log without its times and in the order of positions: branches end in whatever order. */
function comparable(
  log: readonly { position: string; type: string; name: string; input: JsonValue }[],
): JsonValue {
  return log
    .map(({ position, type, name, input: asked }) => ({ position, type, name, input: asked }))
    .sort((a, b) => (a.position < b.position ? -1 : 1));
}

function countOf(log: readonly { type: string }[], type: string): number {
  return log.filter((entry) => entry.type === type).length;
}
