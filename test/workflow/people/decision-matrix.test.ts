import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { Decision, DecisionOutcome } from '../../../src/contract/people/decision.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import { startApi, type ApiServer } from '../../support/api-server.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { answerByRequest } from '../../support/model-answers.js';
import { replayRun } from '../../support/replay-histories.js';
import { seededRandom } from '../../support/seeded-random.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';
import { kinds, type AskedKind } from './decision-matrix/kinds.js';
import { places, procedureOfPlace, type AskedPlace } from './decision-matrix/places.js';
import { byCli, byHttp, bySignal, byUpdate, type Way } from './decision-matrix/ways.js';

/** All of it by all ways, with `MATRIX=all`; else a third of it, each decision by one way, and few by commands. */
const isWhole = process.env['MATRIX'] === 'all';
const seed = Number(process.env['MATRIX_SEED'] ?? 1);

const setting = serverWithProvider();
let worker: TestWorker;
let api: ApiServer;
let folder: CliFolder;
let ways: Record<'update' | 'signal' | 'http' | 'cli', Way>;

beforeAll(async () => {
  const { server, provider, env } = setting;
  provider.reply(answerByRequest);
  worker = await startWorker(server, { activities: { env } });
  api = await startApi(server.tactus, temporaryFolder('matrix'));
  folder = cliFolder();
  const { address } = server.env;
  const { namespace } = server.client.options;
  ways = {
    update: byUpdate,
    signal: bySignal,
    http: byHttp(api, namespace),
    cli: byCli(folder, ['--address', address]),
  };
});
afterAll(async () => {
  await api.close();
  await folder.close();
  await worker.stop();
});

/** Sends decisions, each by a way that the seed chooses, and wants an outcome of each. */
class Sender {
  private sent = 0;

  constructor(
    private readonly run: TactusRun,
    private readonly random: () => number,
    private readonly hasCli: boolean,
  ) {}

  async send(decision: Decision, outcome: DecisionOutcome): Promise<void> {
    for (const way of this.waysOf(decision, outcome)) {
      const id = `${this.run.runId} ${this.sent++}`;
      const verdict = await ways[way](this.run, { id, ...decision });
      expect({ way, ...verdict }).toMatchObject({ way, outcome });
      if (outcome === 'accepted' || outcome === 'early') return;
    }
  }

  private waysOf({ digest }: Decision, outcome: DecisionOutcome): (keyof typeof ways)[] {
    const able: (keyof typeof ways)[] =
      outcome === 'duplicate' ? ['update', 'http'] : ['update', 'signal', 'http'];
    // The command names what it has just read, and no other text.
    if (this.hasCli && digest === undefined && outcome !== 'early') able.push('cli');
    const first = Math.floor(this.random() * able.length);
    const rotated = [...able.slice(first), ...able.slice(0, first)];
    return isWhole ? rotated : rotated.slice(0, 1);
  }
}

const named = (run: TactusRun, message: string, count = 1): Promise<HumanRequest[]> =>
  waitUntil(async () => {
    const found = (await run.status()).pending.filter((request) => request.message === message);
    return found.length >= count && found;
  });

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Everything that may be sent to an open request, and in the end what is right. */
async function answerOpen(sender: Sender, { id }: HumanRequest, kind: AskedKind): Promise<void> {
  const by = 'ann';
  if (kind.wrong !== undefined) await sender.send({ request: id, value: kind.wrong, by }, 'invalid');
  await sender.send({ request: id, value: kind.right, by: 'eve' }, 'not_allowed');
  await sender.send({ request: id, value: kind.right, by, digest: 'of another text' }, 'invalid');
  await sender.send({ request: id, value: kind.right, by }, 'accepted');
}

/** What comes after it was decided. */
async function answerAgain(sender: Sender, id: string, kind: AskedKind): Promise<void> {
  const by = 'ann';
  await sender.send({ request: id, value: kind.right, by }, 'duplicate');
  await sender.send({ request: id, value: kind.other, by }, 'late');
  await sender.send({ request: id.replace(/[^/]*$/, 'x'), value: kind.right, by }, 'unknown');
}

interface Cell {
  kind: AskedKind;
  place: AskedPlace;
  random: () => number;
  hasCli: boolean;
}

async function begin({ kind, place, random, hasCli }: Cell): Promise<{ run: TactusRun; sender: Sender }> {
  const limits = place.continues === true ? { historyEvents: 16 } : {};
  const run = await setting.server.tactus.start(procedureOfPlace(place, kind.call), {}, { limits });
  return { run, sender: new Sender(run, random, hasCli) };
}

async function finish(run: TactusRun, cell: Cell, answers: number): Promise<void> {
  const [done] = await named(run, 'Done?');
  await run.decide({ request: done?.id ?? '', value: true });
  expect(await run.result()).toBe('done');
  const { execution_log: log } = await run.log();
  const answered = JSON.stringify(log).split('"by":"ann"').length - 1;
  // With that to begin.
  expect(answered).toBe(answers + 1);
  const histories = await historiesOf(setting.server.client, run.runId);
  if (cell.place.continues === true) expect(histories.length).toBeGreaterThan(1);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(setting.server.client, run)).toEqual([]);
}

interface Shown {
  position: string;
  digest: string;
}

/** Decides each request when it is open; gives what was shown. */
async function whenOpen(cell: Cell): Promise<Shown[]> {
  const { kind, place, random } = cell;
  const { run, sender } = await begin(cell);
  const [first] = await named(run, 'Begin?');
  await sender.send({ request: first?.id ?? '', value: true, by: 'ann' }, 'accepted');
  const ids: string[] = [];
  const shown: Shown[] = [];
  while (ids.length < place.count) {
    const open = await named(run, 'The one?', place.together === true ? place.count : 1);
    for (const request of shuffled(open, random)) {
      await answerOpen(sender, request, kind);
      ids.push(request.id);
      shown.push(request);
    }
    // Those that come one after the other: the next isn't there at once.
    await answerAgain(sender, ids.at(-1) ?? '', kind);
  }
  await named(run, 'Done?');
  for (const id of shuffled(ids, random)) await answerAgain(sender, id, kind);
  await finish(run, cell, place.count);
  return shown;
}

/** Decides each request before it is open, in whatever order, by the text that it will show. */
async function beforeOpen(cell: Cell, shown: readonly Shown[]): Promise<void> {
  const { kind, place, random } = cell;
  const { run, sender } = await begin(cell);
  const [first] = await named(run, 'Begin?');
  const ids = shown.map(({ position }) => `${run.runId}/${position}`);
  for (const id of shuffled(ids, random)) {
    const decision = { request: id, value: kind.right, by: 'ann' };
    // By signal it would be kept.
    expect(await byUpdate(run, decision)).toMatchObject({ outcome: 'unknown' });
    await sender.send({ ...decision, digest: shown[ids.indexOf(id)]?.digest ?? '' }, 'early');
  }
  await sender.send({ request: first?.id ?? '', value: true, by: 'ann' }, 'accepted');
  await named(run, 'Done?');
  for (const id of shuffled(ids, random)) await answerAgain(sender, id, kind);
  await finish(run, cell, place.count);
}

describe.each(places)('asked $name', (place) => {
  const at = places.indexOf(place);
  const cells = kinds.filter((_, i) => isWhole || (at + i + seed) % 3 === 0);
  it.concurrent.each(cells)('$name', async (kind) => {
    const number = at * kinds.length + kinds.indexOf(kind);
    const random = seededRandom(seed * 1_000 + number);
    // Commands take a second each.
    const cell = { kind, place, random, hasCli: isWhole || kind === cells[0] };
    await beforeOpen(cell, await whenOpen(cell));
  });
});
