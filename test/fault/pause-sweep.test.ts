import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectSource } from '../../src/sources/collect-source.js';
import { begunWhilePaused } from '../support/begun-while-paused.js';
import { failedTasks } from '../support/histories.js';
import { answerByRequest } from '../support/model-answers.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { replayHistories } from '../support/replay-histories.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { eachOf } from './each-of.js';
import { sweepRun, type SweepOutcome } from './sweep-run.js';

const folder = fileURLToPath(new URL('procedures', import.meta.url));

/** See the sweep of all other effects: `KILL_EVERY=1` is at all boundaries, and each commit has others. */
const every = Number(process.env['KILL_EVERY'] ?? 12);
const from = Number(process.env['KILL_FROM'] ?? 1 + (Number(process.env['SAMPLE_SEED'] ?? 0) % every));
const atOnce = 5;

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

/** Pauses a run and lets it go on, again and again, until told to stop. Gives how often it was paused. */
async function pauseAgainAndAgain(runId: string, signal: AbortSignal): Promise<number> {
  const run = server.tactus.attach(runId);
  let pauses = 0;
  while (!signal.aborted) {
    try {
      const deadlines = pauses % 2 === 0 ? 'go_on' : 'stand_still';
      if ((await run.pause({ by: 'ann', deadlines })).changed) pauses++;
      await delay(20);
      await run.unpause();
    } catch {
      // No worker lives now, or the run has ended.
    }
    await delay(20);
  }
  return pauses;
}

async function run(killAt?: number): Promise<SweepOutcome & { pauses: number }> {
  const runId = `paused-${killAt ?? 'undisturbed'}`;
  let pauses = 0;
  const outcome = await sweepRun(server, {
    runId,
    source: await collectSource(folder, 'order-answer.tac'),
    input: { order: 'A7' },
    filesRoot: temporaryFolder('paused'),
    env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` },
    request: '2',
    answering: async (signal) => void (pauses = await pauseAgainAndAgain(runId, signal)),
    ...(killAt === undefined ? {} : { killAt }),
  });
  return { ...outcome, pauses };
}

/** Without what was used: of a call whose worker dies when the model has answered, both answers were paid for. */
const logOf = ({ log }: SweepOutcome): unknown =>
  log.map(({ position, type, name, status }) => ({ position, type, name, status }));

it('a run that is paused again and again loses nothing, and begins nothing meanwhile, wherever its worker dies', async () => {
  const undisturbed = await run();
  expect(undisturbed.pauses).toBeGreaterThan(2);
  const expected = logOf(undisturbed);
  const histories: Parameters<typeof replayHistories>[0] = [];
  let killed = 0;
  const kills = Array.from({ length: undisturbed.boundaries ?? 0 }, (_, i) => i * every + from);
  await eachOf(kills, atOnce, async (killAt) => {
    const outcome = await run(killAt);
    const runId = `paused-${killAt}`;
    if (outcome.boundaries === null) killed++;
    expect(outcome.output, runId).toEqual(undisturbed.output);
    expect(logOf(outcome), runId).toEqual(expected);
    expect(failedTasks(outcome.histories), runId).toEqual([]);
    expect(outcome.histories.flatMap(begunWhilePaused), runId).toEqual([]);
    histories.push(...outcome.histories.map((history) => ({ workflowId: runId, history })));
    return outcome.boundaries === null;
  });
  expect(await replayHistories(histories)).toEqual([]);
  console.log(`paused again and again: killed at ${killed} boundaries`);
  expect(from - 1 + killed * every).toBeGreaterThanOrEqual(14);
}, 900_000);
