import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TactusClient } from '../../src/client/tactus-client.js';
import type { TactusRun } from '../../src/client/tactus-run.js';
import { TactusError } from '../../src/contract/errors.js';
import type { JsonValue } from '../../src/contract/json/json.js';
import type { RunView } from '../../src/contract/runs/run-view.js';
import { answerRequests } from '../support/answer-requests.js';
import { failedTasks, historiesOf, type History } from '../support/histories.js';
import { historiesBelow, type NamedHistory } from '../support/histories-below.js';
import { keptBundle, keptVersions } from '../support/kept-bundle.js';
import { answerByRequest } from '../support/model-answers.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { replayHistories } from '../support/replay-histories.js';
import { sampled } from '../support/sampled.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';
import { keptAnswer } from './kept-answer.js';
import { upgradeCases, type UpgradeCase } from './upgrade-cases.js';

const now = 'built now';

let server: TestServer;
let provider: ProviderStandIn;

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  // A request that is under way is answered to who asks for the second time.
  provider.reply((request) =>
    request.path.endsWith('/slow') && timesOf(String(request.headers['idempotency-key'])) === 1
      ? { hang: true }
      : answerByRequest(request),
  );
});

afterAll(async () => {
  await provider.close();
  await server.stop();
});

function timesOf(key: string): number {
  return provider.requests.filter(({ headers }) => headers['idempotency-key'] === key).length;
}

interface Upgraded {
  run: TactusRun;
  ended: JsonValue | TactusError;
  view: RunView;
  histories: History[];
  /** Those of child runs too. */
  below: NamedHistory[];
}

interface AllUpgraded {
  runs: Map<string, Upgraded>;
  /** Why histories don't replay with the workflow code as it is built now. */
  problems: string[];
}

/** All of them go on at once: one worker is followed by the other. */
async function upgradeAll(version: string, isContinued: boolean): Promise<AllUpgraded> {
  const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` };
  const filesRoot = temporaryFolder('upgrade');
  const taskQueue = `${version}-${isContinued ? 'continued' : 'same'}`;
  const tactus = new TactusClient(server.client, { searchAttributes: true, taskQueue });
  const workerOf = (identity: string, worker: object = {}): Promise<TestWorker> =>
    startWorker(server, { taskQueue, activities: { env, filesRoot }, worker: { identity, ...worker } });

  const old = await workerOf(version, { workflowBundle: { codePath: keptBundle(version) } });
  const runs = await Promise.all(
    upgradeCases.map(async (each, i) => {
      const runId = `${taskQueue}-${i}`;
      const limits = { ...each.limits, ...(isContinued ? { historyEvents: each.historyEvents } : {}) };
      const input = { endpoint: `${provider.url}/score`, file: `${runId}.txt` };
      return { each, run: await tactus.start(each.source, input, { runId, limits }) };
    }),
  );
  await Promise.all(runs.map(({ each, run }) => waitUntil(() => isThere(tactus, each, run))));
  await old.stop();

  const current = await workerOf(now);
  const upgraded = await Promise.all(
    runs.map(async ({ each, run }): Promise<[string, Upgraded]> => {
      if (each.isCancelled) await run.cancel();
      const answers = answerRequests(tactus, run.runId, keptAnswer);
      const ended = await run.result().catch((error: unknown) => error as TactusError);
      await answers.stop();
      const histories = await historiesOf(server.client, run.runId);
      const below = await historiesBelow(tactus, run.runId);
      return [each.while, { run, ended, view: await run.status(), histories, below }];
    }),
  );
  await current.stop();
  const problems = await replayHistories(upgraded.flatMap(([, { below }]) => below));
  return { runs: new Map(upgraded), problems };
}

async function isThere(tactus: TactusClient, each: UpgradeCase, run: TactusRun): Promise<boolean> {
  const view = await run.status();
  const isBusy = view.waits.some(({ kind }) => kind === 'activity');
  if (!each.isThere(view) || isBusy !== (each.arrived !== undefined)) return false;
  const asked = await tactus.pending(run.runId);
  return asked.length === each.asks && (!isBusy || keysOf(run).length === each.arrived);
}

/** Under which keys a run and its child runs have sent requests. */
function keysOf({ runId }: TactusRun): string[] {
  return provider.requests
    .map(({ headers }) => String(headers['idempotency-key']))
    .filter((key) => key.startsWith(`${runId}/`));
}

/** Who did the workflow tasks of an execution. */
function workersOf({ events }: History): string[] {
  const identities = (events ?? []).flatMap(
    (event) => event.workflowTaskCompletedEventAttributes?.identity ?? [],
  );
  return [...new Set(identities)];
}

const ways = [
  { how: 'in the same execution', isContinued: false },
  { how: 'and continues as new', isContinued: true },
];

// The newest one always: most runs are of it.
const versions = sampled(keptVersions(), 3, (version) => version === keptVersions().at(-1));

describe.each(versions)('a run of %s goes on with the workflow code as it is built now', (version) => {
  let upgraded: AllUpgraded[];

  // They mostly wait: both ways at once.
  beforeAll(async () => {
    upgraded = await Promise.all(ways.map(({ isContinued }) => upgradeAll(version, isContinued)));
  });

  describe.each(ways)('$how', ({ isContinued }) => {
    it.each(upgradeCases)('which takes over while $while', (each) => {
      const { runs, problems } = upgraded[Number(isContinued)] as AllUpgraded;
      const { run, ended, view, histories, below } = runs.get(each.while) as Upgraded;
      const { since } = each;
      const expected = since !== undefined && since.version <= version ? since.output : each.output;
      if (ended instanceof TactusError) expect({ code: ended.code }, ended.message).toEqual(expected);
      else expect(ended).toEqual(expected);
      const failed = each.isCancelled ? 'cancelled' : 'failed';
      expect(view.status).toBe(ended instanceof TactusError ? failed : 'completed');

      expect(failedTasks(below.map(({ history }) => history))).toEqual([]);
      expect(problems.filter((problem) => problem.startsWith(run.runId))).toEqual([]);
      expect(workersOf(histories[0] as History)[0]).toBe(version);
      expect(workersOf(histories.at(-1) as History).at(-1)).toBe(now);
      if (isContinued) expect(histories.length).toBeGreaterThan(1);
      else expect(histories.flatMap(workersOf)).toEqual([version, now]);

      const keys = keysOf(run);
      expect(keys.length - new Set(keys).size).toBe(each.twice ?? 0);
      expect(new Set(keys).size).toBe(each.requests);
    });
  });

  it('and runs have continued as new before, over and after the change of workers', () => {
    const all = [...(upgraded[1]?.runs.values() ?? [])];
    const workers = all
      .flatMap(({ histories }) => histories.slice(0, -1))
      .map((history) => workersOf(history).join(', '));
    expect(new Set(workers)).toEqual(new Set([version, `${version}, ${now}`, now]));
  });
});
