import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rewindRun } from '../../src/client/changes/rewind.js';
import { upgradeRun } from '../../src/client/changes/upgrade.js';
import { replayedProgram, runReplayed } from '../../src/client/runs/replayed-program.js';
import { runIdOf as runOf } from '../../src/client/people/open-requests.js';
import type { TactusRun } from '../../src/client/tactus-run.js';
import { viewRun } from '../../src/client/runs/view-run.js';
import type { HumanRequest } from '../../src/contract/people/human-request.js';
import type { JsonValue } from '../../src/contract/json/json.js';
import { workflowType } from '../../src/contract/names.js';
import { pausedDeadlines } from '../../src/contract/changes/pause.js';
import type { ProcedureSource } from '../../src/contract/procedures/source.js';
import type { StartInput } from '../../src/contract/runs/start-input.js';
import { unpackLog } from '../../src/log/pack.js';
import { startChildWorker } from '../support/child-worker.js';
import { failedTasks } from '../support/histories.js';
import { historiesBelow } from '../support/histories-below.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { agentNames, eventNames, numberOf, pick, randomProcedure } from '../support/random-procedure.js';
import { replayHistories } from '../support/replay-histories.js';
import { isWhole } from '../support/sampled.js';
import { seededRandom } from '../support/seeded-random.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker } from '../support/test-worker.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { killWorkersUntil } from './kill-workers-until.js';

/**
 * Any procedure, and whatever may come to it in any order: decisions, some of them early, events, words to its agents, pauses,
 * other prompts, ways back and cancellation, while it continues as new every few events and its workers are killed. `SAMPLE=all npm test -- test/fault/random-runs` looks at 60
 * of them; `SAMPLE_SEED` is where it begins.
 */
const firstSeed = isWhole ? 0 : Number(process.env['SAMPLE_SEED'] ?? 1) % 100_000;
const seeds = Array.from({ length: isWhole ? 60 : 6 }, (_, i) => firstSeed + i);
const atOnce = 6;
const mostKills = 4 * Math.ceil(seeds.length / atOnce);
const patienceMs = 240_000;
const taskQueue = 'anything';
const runIdOf = (seed: number): string => `random-${seed}`;
const isCancelled = (seed: number): boolean => seed % 4 === 3;
/** What a procedure may end with that does such things. */
const expectedEnds = ['budget_exhausted', 'lua_error', 'cancelled'];

let server: TestServer;
let provider: ProviderStandIn;

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  provider.reply(({ body }) => {
    const { messages, tools = [] } = body as {
      messages: JsonValue[];
      tools?: { function: { name: string } }[];
    };
    const chance = (below: number): number => numberOf(JSON.stringify(body), below);
    const tool = messages.length > 6 ? undefined : tools[chance(4)];
    return {
      text: `said ${chance(100)}`,
      usage: { input: chance(60), output: 1 },
      ...(tool === undefined ? {} : { toolCalls: [{ name: tool.function.name, arguments: '{}' }] }),
    };
  });
});
afterAll(async () => {
  await provider?.close();
  await server?.stop();
});

/** What a person says to a request, whenever they see it. */
function answerTo({ id, kind, options }: HumanRequest): JsonValue {
  if (kind === 'select') return options[numberOf(id, 3)] ?? null;
  return kind === 'input' ? `words on ${id}` : numberOf(id, 4) > 0;
}

/** The server begins one execution of a run in a second at most, so more would be most of what it does. */
const mostMoves = 3;

/** The same with other prompts, which fits whatever is recorded. */
function withOtherPrompts({ entry, files }: ProcedureSource, n: number): ProcedureSource {
  const edit = (text: string): string =>
    text.replaceAll('system_prompt = "You are', `system_prompt = "You (${n}) are`);
  return {
    entry,
    files: Object.fromEntries(Object.entries(files).map(([path, text]) => [path, edit(text)])),
  };
}

interface Lived {
  run: TactusRun;
  /** How often another source was taken, or the run went back. */
  moves: number;
  ended: unknown;
  accepted: Map<string, JsonValue>;
  hints: string[];
}

/** Other prompts were said not to fit. */
class UnexpectedDivergence extends Error {}

/** Starts a run, and sees to it that everything comes that it may wait for. */
async function live(seed: number): Promise<Lived> {
  const random = seededRandom(seed + 1);
  const runId = runIdOf(seed);
  const source = randomProcedure(seed, 0.1);
  const start: StartInput = {
    source,
    limits: { historyEvents: 10 + Math.floor(random() * 10) },
  };
  const options = { workflowId: runId, taskQueue, workflowTaskTimeout: '2s' };
  const handle = await server.client.workflow.start(workflowType, { ...options, args: [start] });
  const run = server.tactus.attach(runId);
  let isOver = false;
  const ended = handle.result().then(
    () => 'completed',
    () => 'not completed',
  );
  void ended.then(() => (isOver = true));
  const accepted = new Map<string, JsonValue>();
  const hints: string[] = [];
  let moves = 0;
  const decide = async (request: string, value: JsonValue, early: boolean): Promise<void> => {
    const { outcome } = await server.tactus.decide({ request, value, id: `to ${request}`, by: 'ann', early });
    if (outcome === 'accepted') accepted.set(request, value);
  };
  // Nobody has asked yet: a procedure may never ask there, or for something else.
  await decide(`${runId}/${Math.floor(random() * 4)}`, true, true).catch(() => undefined);
  for (let look = 0; !isOver; look++) {
    try {
      if (isCancelled(seed) && look === 5 + (seed % 20)) await run.cancel();
      for (const each of [runId, ...(await run.status()).children])
        await server.tactus.attach(each).send(pick(random, eventNames), look, `event ${look}`);
      await (random() < 0.3 ? run.pause({ deadlines: pick(random, pausedDeadlines) }) : run.unpause());
      if (random() < 0.2 && hints.length < 20) {
        const agent = pick(random, agentNames);
        await run.steer({ message: `hint ${look} of ${seed}`, agent });
        hints.push(`hint ${look} of ${seed}`);
      }
      // Once by plan: of short runs on a slow machine, chance alone may move none.
      if ((random() < 0.1 || look === 3) && moves < mostMoves) {
        const { verdict, moved, message } = await upgradeRun(run, withOtherPrompts(source, moves + 1));
        if (verdict === 'diverges') throw new UnexpectedDivergence(`${runId}: ${message}`);
        if (moved) moves++;
      }
      if (random() < 0.05 && moves < mostMoves) {
        const { execution_log: log } = await run.log();
        if (log.length > 0) {
          const { position: at } = pick(random, log);
          await rewindRun(server.tactus, run, { at, mayRepeat: true });
          moves++;
          // What agents have heard since is not said again.
          hints.length = 0;
        }
      }
      for (const request of await server.tactus.pending(runId))
        await decide(request.id, answerTo(request), false);
    } catch (error) {
      if (error instanceof UnexpectedDivergence) throw error;
      // No worker lives now, or the run has ended.
    }
    await Promise.race([ended, delay(150)]);
  }
  return { run, moves, ended: await ended, accepted, hints };
}

describe('a run of any procedure, to which anything comes', () => {
  it(
    `ends as its log says, with every decision and every word in it, and replays (seeds from ${firstSeed})`,
    { timeout: patienceMs * Math.ceil(seeds.length / atOnce) },
    async () => {
      const lived: Lived[] = [];
      const left = [...seeds];
      const lanes = Array.from({ length: atOnce }, async () => {
        for (let seed = left.shift(); seed !== undefined; seed = left.shift()) lived.push(await live(seed));
      });
      const all = Promise.all(lanes);
      const random = seededRandom(firstSeed);
      const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` };
      const filesRoot = temporaryFolder('random-runs');
      const kills = await killWorkersUntil(all, {
        start: () => startChildWorker({ address: server.env.address, taskQueue, filesRoot, env }),
        // The first one dies among the first steps: short runs may all end within a second.
        lifeMs: (before) => (before === 0 ? 250 : 1_000 + random() * 3_000),
        mostKills,
      });
      await all;
      const reader = await startWorker(server, { taskQueue });
      try {
        for (const each of lived) await expectRight(each);
      } finally {
        await reader.stop();
      }
      const moves = lived.reduce((sum, each) => sum + each.moves, 0);
      console.log(
        `${lived.length} runs, ${moves} moves, ${kills} kills, ${provider.requests.length} model calls`,
      );
      expect(kills).toBeGreaterThanOrEqual(1);
      expect(moves).toBeGreaterThanOrEqual(1);
    },
  );
});

/** Child runs that are cancelled have five minutes to compensate, and wait for what nobody sends any more: a second order ends them. */
async function endChildren(runId: string): Promise<void> {
  await waitUntil(async () => {
    const open: string[] = [];
    for await (const { workflowId: id } of server.client.workflow.list({
      query: "ExecutionStatus = 'Running'",
    }))
      if (id.startsWith(`${runId}/`)) open.push(id);
    // One of them may end by itself just now.
    for (const id of open)
      await server.tactus
        .attach(id)
        .cancel()
        .catch(() => undefined);
    return open.length === 0;
  });
}

async function expectRight({ run, ended, accepted, hints }: Lived): Promise<void> {
  const { runId } = run;
  await endChildren(runId);
  const view = await viewRun(run);
  const histories = await historiesBelow(server.tactus, runId);
  expect(failedTasks(histories.map(({ history }) => history)), runId).toEqual([]);
  expect(await replayHistories(histories), runId).toEqual([]);
  if (ended !== 'completed')
    expect(expectedEnds, `${runId}: ${view.error?.message}`).toContain(view.error?.code);

  // Its log alone leads to the same end.
  const entries = unpackLog(await run.packedCheckpoints());
  const program = await replayedProgram(runId, await run.started(), { entries });
  if (program === null) throw new Error(`${runId} has no source`);
  const turn = runReplayed(program);
  if (ended === 'completed')
    expect(turn.kind === 'completed' ? turn.output : turn, runId).toEqual(view.output);

  if (ended === 'completed')
    for (const [request, value] of accepted) {
      const of = runOf(request);
      const position = request.slice(of.length + 1);
      const { execution_log: log } = await server.tactus.attach(of).log({ all: true });
      const entry = log.find((each) => each.position === position && each.type.startsWith('hitl_'));
      // A branch may have been given up, by an error beside it, once it was decided.
      if (entry !== undefined) expect((entry.result as { value: JsonValue }).value, request).toEqual(value);
    }
  // An agent that has heard it may have no budget left to ask its model.
  const { execution_log: log } = await run.log({ all: true });
  const heard = log.filter(({ type }) => type === 'steering');
  const known = JSON.stringify([heard, view.unheard ?? []]);
  if (ended === 'completed') for (const hint of hints) expect(known, `${runId}: ${hint}`).toContain(hint);
}
