import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rewindRun } from '../../src/client/changes/rewind.js';
import { upgradeRun } from '../../src/client/changes/upgrade.js';
import type { ProcedureSource } from '../../src/contract/procedures/source.js';
import { collectSource } from '../../src/sources/collect-source.js';
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

/** The procedure with another prompt each time: that fits whatever is recorded. */
function version(source: ProcedureSource, n: number): ProcedureSource {
  const text = source.files[source.entry] ?? '';
  const edited = text.replace('You answer customers', `You, the ${n}th, answer customers`);
  expect(edited).not.toBe(text);
  return { ...source, files: { ...source.files, [source.entry]: edited } };
}

/** Upgrades a run again and again, and approves it after some time, until told to stop. Gives how often it was moved. */
async function upgradeAgainAndAgain(
  runId: string,
  source: ProcedureSource,
  signal: AbortSignal,
): Promise<number> {
  const run = server.tactus.attach(runId);
  let moves = 0;
  while (!signal.aborted) {
    try {
      const upgraded = await upgradeRun(run, version(source, moves + 1), { by: 'ann' });
      expect(upgraded.verdict, upgraded.message ?? '').not.toBe('diverges');
      if (upgraded.moved) moves++;
      if (moves > 3) await run.decide({ request: `${runId}/2`, value: true, id: 'approved' });
    } catch (error) {
      // No worker lives now, or the run has ended.
      if (error instanceof Error && error.name === 'AssertionError') throw error;
    }
    await delay(20);
  }
  return moves;
}

/** Goes back again and again, and approves it after some time, until told to stop. Gives how often it went back. */
async function goBackAgainAndAgain(runId: string, _: ProcedureSource, signal: AbortSignal): Promise<number> {
  const run = server.tactus.attach(runId);
  let moves = 0;
  while (!signal.aborted) {
    try {
      const [request] = await run.pending();
      if (request !== undefined && moves > 3)
        await run.decide({ request: request.id, value: true, id: 'approved' });
      else if (request !== undefined) {
        await rewindRun(server.tactus, run, moves % 2 === 0 ? { at: '1', set: 40 } : { at: '0' });
        moves++;
      }
    } catch {
      // No worker lives now, or the run has ended.
    }
    await delay(20);
  }
  return moves;
}

const ways = { upgraded: upgradeAgainAndAgain, rewound: goBackAgainAndAgain };

async function run(
  way: keyof typeof ways,
  killAt: number | undefined,
  runId: string,
): Promise<SweepOutcome & { moves: number }> {
  const source = await collectSource(folder, 'order-answer.tac');
  let moves = 0;
  const outcome = await sweepRun(server, {
    ...{ runId, source, input: { order: 'A7' }, request: null },
    filesRoot: temporaryFolder(way),
    env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` },
    answering: async (signal) => void (moves = await ways[way](runId, source, signal)),
    ...(killAt === undefined ? {} : { killAt }),
  });
  return { ...outcome, moves };
}

it.each(['upgraded', 'rewound'] as const)(
  'a run that is %s again and again loses nothing, wherever its worker dies',
  async (way) => {
    await expectSweep({
      ...{ name: way, every: 30, atOnce: 5 },
      run: (killAt, runId) => run(way, killAt, runId),
      expectUndisturbed: ({ moves }) => expect(moves).toBeGreaterThan(2),
      expectRight: (outcome, runId, undisturbed) => {
        expect(outcome.output, runId).toEqual(undisturbed.output);
        expect(outcome.view.changes?.length ?? 0, runId).toBeGreaterThanOrEqual(outcome.moves);
      },
    });
  },
  900_000,
);
