import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TactusClient } from '../../src/client/tactus-client.js';
import { viewRun } from '../../src/client/runs/view-run.js';
import type { HumanAnswer } from '../../src/contract/people/human-request.js';
import type { JsonObject, JsonValue } from '../../src/contract/json/json.js';
import { hashOfToken } from '../../src/server/access/access-of.js';
import { freePort } from '../../src/worker/server/embedded-server/free-port.js';
import { cliFolder, type CliFolder } from '../support/cli-folder.js';
import { failedTasks, historiesOf } from '../support/histories.js';
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres-server.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { replayHistories } from '../support/replay-histories.js';
import { seededRandom } from '../support/seeded-random.js';
import { hasTemporalRoles, startTemporalRoles } from '../support/temporal-roles.js';
import { waitUntil } from '../support/wait-until.js';
import { decisionsIn, type RecordedDecision } from './by-turns/decisions-in-history.js';
import { commandPart, type Part } from '../support/part.js';
import { ask, decideByHttp, decideBySignal, type Sent } from './by-turns/person.js';
import { startWholeServer, type KillableServer } from './by-turns/server-part.js';

/**
 * The server or each of its services, two workers and `serve` are killed by turns while people decide. So many times each: `KILL_ROUNDS=8 npm test --
 * test/fault/killed-by-turns`. `KILL_INDEX=postgres`: the index is in PostgreSQL instead of a file.
 */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 1);
const inPostgres = process.env['KILL_INDEX'] === 'postgres' && hasPostgres;
const seed = Number(process.env['KILL_SEED'] ?? 5);

const runIds = Array.from({ length: 40 }, (_, i) => `r${String(i).padStart(2, '0')}`);
const questions = 5;
const people = ['ann', 'bob'] as const;
const tokens = { ann: randomBytes(16).toString('hex'), bob: randomBytes(16).toString('hex') };
/** Decisions around one kill are begun within so many ms; it comes in their midst. */
const groupMs = 1_500;
/** So long everything may take to be right again once all is up. */
const patienceMs = 120_000;

let folder: CliFolder;
let server: KillableServer;
let postgres: TestPostgres | null = null;
let provider: ProviderStandIn;
let parts: Part[] = [];
let url: string;
let tactus: TactusClient;

function hashText(token: string): string {
  return hashOfToken(token).toString('hex');
}

interface Listed {
  runs: Map<string, string>;
  requests: string[];
}

/** What `serve` lists, out of the index. */
async function listed(): Promise<Listed> {
  const runs = await ask(url, tokens.ann, '/runs?limit=200');
  const requests = await ask(url, tokens.ann, '/requests?limit=500');
  expect([runs.body['source'], requests.body['source']]).toEqual(['index', 'index']);
  expect(requests.body['missing']).toEqual([]);
  const pairs = (runs.body['runs'] as JsonObject[]).map((run): [string, string] => [
    run['run_id'] as string,
    run['status'] as string,
  ]);
  return {
    runs: new Map(pairs.sort()),
    requests: (requests.body['requests'] as JsonObject[]).map(({ id }) => id as string).sort(),
  };
}

/** The same as each run says itself. */
async function said(): Promise<Listed> {
  const views = await Promise.all(runIds.map((runId) => viewRun(tactus.attach(runId))));
  return {
    runs: new Map(views.map(({ run_id, status }) => [run_id, status])),
    requests: views.flatMap(({ pending }) => pending.map(({ id }) => id)).sort(),
  };
}

/** Who decides a request, and how. */
interface Plan {
  request: string;
  kind: string;
  people: { by: 'ann' | 'bob'; value: JsonValue; way: 'http' | 'signal' }[];
}

function plansFor(requests: readonly JsonObject[], random: () => number): Plan[] {
  const yes = { approval: true, input: 'so be it', select: 'b' } as Record<string, JsonValue>;
  const no = { approval: false, input: 'never', select: 'a' } as Record<string, JsonValue>;
  return requests.map((each) => {
    const [request, kind] = [each['id'] as string, each['kind'] as string];
    const way = () => (random() < 0.3 ? 'signal' : 'http');
    const value = yes[kind] ?? null;
    // Both have to agree.
    if (Array.isArray(each['approvers']) && each['approvers'].length > 0)
      return { request, kind, people: people.map((by) => ({ by, value, way: way() })) };
    const what = random();
    if (what < 0.15) return { request, kind, people: [] };
    if (what < 0.35)
      return {
        ...{ request, kind },
        people: [
          { by: 'ann', value, way: 'http' },
          { by: 'bob', value: no[kind] ?? null, way: 'http' },
        ],
      };
    return { request, kind, people: [{ by: random() < 0.5 ? 'ann' : 'bob', value, way: way() }] };
  });
}

function decide({ request, people: each }: Plan): Promise<Sent>[] {
  return each.map(({ by, value, way }) =>
    way === 'http'
      ? decideByHttp(url, tokens[by], { request, value, by })
      : decideBySignal(server.client, { request, value, by }),
  );
}

/** Of each answered request, all answers that the runs' logs have. */
async function answersOfRuns(): Promise<Map<string, HumanAnswer[]>> {
  const answers = new Map<string, HumanAnswer[]>();
  for (const runId of runIds) {
    const { execution_log: log } = await tactus.attach(runId).log();
    for (const { position, result } of log.filter((entry) => entry.type.startsWith('hitl_'))) {
      const id = `${runId}/${position}`;
      answers.set(id, [...(answers.get(id) ?? []), result as unknown as HumanAnswer]);
    }
  }
  return answers;
}

/** What everybody was told is what history has, and what history has is what counted. */
function checkRequest(
  { request, people: asked }: Plan,
  sent: readonly Sent[],
  recorded: readonly RecordedDecision[],
  answers: readonly HumanAnswer[],
): void {
  const own = sent.filter((each) => each.request === request);
  const known = recorded.filter((each) => each.request === request);
  const ofIds = (ids: readonly { id?: string }[]): Set<string | undefined> =>
    new Set(ids.map(({ id }) => id));
  if (asked.length === 0) return expect([known, answers], request).toEqual([[], []]);
  expect(answers, request).toHaveLength(1);
  const [answer] = answers;
  const counted = own.filter(({ outcome }) => outcome !== 'late');
  const isQuorum = answer?.votes !== undefined;
  // Of two who raced, one was told that somebody else had been first; nobody else was.
  expect(counted, request).toHaveLength(isQuorum ? 2 : 1);
  for (const { status, outcome, tries } of own) {
    if (outcome === null) continue;
    expect([200, 409], request).toContain(status);
    expect(tries > 1 ? ['accepted', 'duplicate', 'late'] : ['accepted', 'late'], request).toContain(outcome);
  }
  for (const { id } of counted) expect(ofIds(known), request).toContain(id);
  // Sent again, it was accepted once: those that arrived together with the first are in history with what they came to.
  const accepted = known.filter(({ outcome }) => outcome === 'accepted').map(({ id }) => id);
  const byHttp = counted.filter(({ outcome }) => outcome !== null).map(({ id }) => id);
  expect(accepted.sort(), request).toEqual(byHttp.sort());
  for (const { id = '', outcome } of known)
    expect(accepted.includes(id) ? ['accepted', 'duplicate'] : [null, 'late'], request).toContain(outcome);
  if (isQuorum)
    expect(answer.votes?.map(({ by }) => by).sort(), request).toEqual(counted.map(({ by }) => by).sort());
  else expect([answer?.value, answer?.by], request).toEqual([counted[0]?.value, counted[0]?.by]);
}

/** The line after each answer is run, and has its effect under one key. One whose worker was killed is performed again once its time is up. */
async function checkFollowed(answered: number): Promise<void> {
  const keys = (): string[] => provider.requests.map(({ headers }) => String(headers['idempotency-key']));
  await waitUntil(() => Promise.resolve(new Set(keys()).size >= answered), patienceMs);
  const counts = new Map<string, number>();
  for (const key of keys()) counts.set(key, (counts.get(key) ?? 0) + 1);
  expect(counts.size).toBe(answered);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(1 + rounds * parts.length);
}

const servers = [
  { name: 'one process', startServer: startWholeServer, isThere: true },
  { name: 'a process for each service', startServer: startTemporalRoles, isThere: hasTemporalRoles },
];
for (const { name, startServer, isThere } of servers) {
  describe.runIf(isThere)(`with a server of ${name}`, () => {
    beforeAll(async () => {
      provider = await startProviderStandIn();
      provider.reply(() => ({ json: { score: 1 } }));
      postgres = inPostgres ? await startPostgres() : null;
      await postgres?.create('people');
      folder = cliFolder();
      server = await startServer(folder.path);
      tactus = new TactusClient(server.client);
      const index = postgres?.address('people') ?? server.database ?? 'index.sqlite';
      const entries = people.map(
        (name) => `    - { name: ${name}, hash: 'sha256:${hashText(tokens[name])}' }\n`,
      );
      folder.write(
        '.tactus/config.yml',
        `index: ${index}\nserver:\n  per_minute: 100000\n  tokens:\n${entries.join('')}`,
      );
      copyFileSync(
        new URL('procedures/five-questions.tac', import.meta.url),
        join(folder.path, 'five-questions.tac'),
      );
      const port = await freePort();
      url = `http://127.0.0.1:${port}`;
      const at = ['--address', server.address];
      const workers = ['first worker', 'second worker'].map((name) =>
        commandPart(
          name,
          () => folder.start([...at, 'worker']),
          ({ stderr }) => stderr.includes('Working for'),
        ),
      );
      const serve = commandPart(
        'serve',
        () => folder.start([...at, 'serve', '--port', String(port), '--json']),
        ({ stdout }) => stdout.includes('"url"'),
      );
      parts = [...server.parts, ...workers, serve];
      await Promise.all([...workers, serve].map((part) => part.start()));
    }, 120_000);
    afterAll(async () => {
      for (const part of parts.slice(server.parts.length)) await part.kill();
      await server.close();
      await provider.close();
      await postgres?.stop();
    });

    it.runIf(isThere)(
      'no request is lost or asked twice, every decision counts once, and the index is right again',
      async () => {
        const random = seededRandom(seed);
        const input = { endpoint: `${provider.url}/score` };
        const started = runIds.map((run_id) =>
          ask(url, tokens.ann, '/runs', { procedure: 'five-questions', run_id, input }),
        );
        expect((await Promise.all(started)).map(({ status }) => status)).toEqual(runIds.map(() => 201));
        const count = runIds.length * questions;
        const open = await waitUntil(async () => {
          const { body } = await ask(url, tokens.ann, '/requests?limit=500');
          const requests = body['requests'] as JsonObject[];
          return requests.length === count && requests;
        }, 60_000);

        const kills = Array.from({ length: rounds }, () => parts).flat();
        const plans = plansFor(open, random).sort(() => random() - 0.5);
        const sending: Promise<Sent>[] = [];
        const size = Math.ceil(plans.length / kills.length);
        for (const [i, part] of kills.entries()) {
          for (const plan of plans.slice(i * size, (i + 1) * size))
            void delay(random() * groupMs).then(() => sending.push(...decide(plan)));
          await delay(groupMs / 2);
          await part.kill();
          await part.start();
        }
        const upAt = Date.now();
        const since = (): string => `${((Date.now() - upAt) / 1_000).toFixed(1)} s`;
        await delay(groupMs);
        const sent = await Promise.all(sending);
        expect(sent).toHaveLength(plans.flatMap(({ people: each }) => each).length);
        const heard = since();
        await waitUntil(async () => {
          const [ofIndex, ofRuns] = [await listed(), await said()];
          expect(ofIndex).toEqual(ofRuns);
          return true;
        }, patienceMs);
        console.log(
          `${kills.length} kills, ${sent.length} decisions, ${sent.filter(({ tries }) => tries > 1).length} sent again; ` +
            `once all was up, everybody was answered after ${heard}, and the index right after ${since()}`,
        );

        const histories = new Map(
          await Promise.all(
            runIds.map(async (runId) => [runId, await historiesOf(server.client, runId)] as const),
          ),
        );
        expect(failedTasks([...histories.values()].flat())).toEqual([]);
        const recorded = [...histories.values()].flatMap(decisionsIn);
        const answers = await answersOfRuns();
        for (const plan of plans) checkRequest(plan, sent, recorded, answers.get(plan.request) ?? []);
        // Each was asked, and once: it is open, or answered, and there is none besides.
        const { requests: left } = await said();
        expect([...answers.keys(), ...left].sort()).toEqual(open.map(({ id }) => id as string).sort());
        await checkFollowed([...answers.keys()].length);
        const replayed = [...histories].flatMap(([workflowId, all]) =>
          all.map((history) => ({ workflowId, history })),
        );
        expect(await replayHistories(replayed)).toEqual([]);
      },
      900_000,
    );
  });
}
