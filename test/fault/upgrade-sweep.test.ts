import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rewindRun } from '../../src/client/changes/rewind.js';
import { upgradeRun } from '../../src/client/changes/upgrade.js';
import type { ProcedureSource } from '../../src/contract/procedures/source.js';
import { collectSource } from '../../src/sources/collect-source.js';
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
const every = Number(process.env['KILL_EVERY'] ?? 30);
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

async function run(way: keyof typeof ways, killAt?: number): Promise<SweepOutcome & { moves: number }> {
  const runId = `${way}-${killAt ?? 'undisturbed'}`;
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

/** Without what was used: of a call whose worker dies when the model has answered, both answers were paid for. */
const logOf = ({ log }: SweepOutcome): unknown =>
  log.map(({ position, type, name, status }) => ({ position, type, name, status }));

it.each(['upgraded', 'rewound'] as const)(
  'a run that is %s again and again loses nothing, wherever its worker dies',
  async (way) => {
    const undisturbed = await run(way);
    expect(undisturbed.moves).toBeGreaterThan(2);
    const expected = logOf(undisturbed);
    const histories: Parameters<typeof replayHistories>[0] = [];
    let killed = 0;
    const kills = Array.from({ length: undisturbed.boundaries ?? 0 }, (_, i) => i * every + from);
    await eachOf(kills, atOnce, async (killAt) => {
      const outcome = await run(way, killAt);
      const runId = `${way}-${killAt}`;
      if (outcome.boundaries === null) killed++;
      expect(outcome.output, runId).toEqual(undisturbed.output);
      expect(logOf(outcome), runId).toEqual(expected);
      expect(failedTasks(outcome.histories), runId).toEqual([]);
      const { changes = [] } = outcome.view;
      expect(changes.length, runId).toBeGreaterThanOrEqual(outcome.moves);
      histories.push(...outcome.histories.map((history) => ({ workflowId: runId, history })));
      return outcome.boundaries === null;
    });
    expect(await replayHistories(histories)).toEqual([]);
    console.log(`${way} again and again: killed at ${killed} boundaries`);
    expect(from - 1 + killed * every).toBeGreaterThanOrEqual(14);
  },
  900_000,
);
