import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectSource } from '../../src/sources/collect-source.js';
import { begunWhilePaused } from '../support/begun-while-paused.js';
import { answerByRequest } from '../support/model-answers.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { expectSweep } from './expect-sweep.js';
import { sweepRun, type SweepOutcome } from './sweep-run.js';

const folder = fileURLToPath(new URL('procedures', import.meta.url));

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

async function run(killAt: number | undefined, runId: string): Promise<SweepOutcome & { pauses: number }> {
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

it('a run that is paused again and again loses nothing, and begins nothing meanwhile, wherever its worker dies', async () => {
  await expectSweep({
    ...{ name: 'paused', every: 12, atOnce: 5, run },
    expectUndisturbed: ({ pauses }) => expect(pauses).toBeGreaterThan(2),
    expectRight: (outcome, runId, undisturbed) => {
      expect(outcome.output, runId).toEqual(undisturbed.output);
      expect(outcome.histories.flatMap(begunWhilePaused), runId).toEqual([]);
    },
  });
}, 900_000);
