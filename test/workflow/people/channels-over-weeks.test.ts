import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { Channel } from '../../../src/contract/people/channels/channel.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import { failedTasks, historiesOf, type History } from '../../support/histories.js';
import { startReceiver, type MessageReceiver } from '../../support/message-receiver.js';
import { oneExecution } from '../../support/one-execution.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { startTimeSkippingServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

let server: TestServer;
let worker: TestWorker;
let crm: MessageReceiver;
let ops: MessageReceiver;

beforeAll(async () => {
  server = await startTimeSkippingServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  [crm, ops] = await Promise.all([startReceiver(), startReceiver()]);
  const channels: Record<string, Channel> = {
    crm: { webhook: { url: crm.url, secret: 'CRM' } },
    ops: { slack: { url: 'OPS' } },
  };
  const env = { CRM: 'x'.repeat(32), OPS: ops.url };
  worker = await startWorker(server, { activities: { channels, env } });
});
afterEach(async () => {
  await worker.stop();
  await Promise.all([crm.close(), ops.close()]);
});

function start(body: string, limits = {}): Promise<TactusRun> {
  return server.tactus.start(procedureOf(body), {}, { settings: { channels: ['crm', 'ops'] }, limits });
}

async function only(run: TactusRun): Promise<HumanRequest> {
  const [request] = await pendingOf(run);
  if (request === undefined) throw new Error('nothing is asked');
  return request;
}

async function replayed(run: TactusRun): Promise<History[]> {
  const histories = await historiesOf(server.client, run.runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(server.client, run)).toEqual([]);
  return histories;
}

const eventsOf = (histories: readonly History[]): number =>
  histories.reduce((sum, { events }) => sum + (events?.length ?? 0), 0);

/** Why those messages were sent that were taken. */
const taken = ({ received }: MessageReceiver): unknown[] =>
  received.filter(({ status }) => status === 200).map(({ body }) => body['why'] ?? 'told');

it('all channels are down for a day: nothing is lost, each is told once when it is there again', async () => {
  crm.down = 503;
  ops.down = 503;
  const run = await start('return Human.approve{message = "Pay?", approvers = "ann", remind_every = "5h"}');
  const { id } = await only(run);
  await server.env.sleep('1 day');
  const before = await only(run);
  expect(before.deliveries?.map(({ channel, status }) => [channel, status])).toEqual([
    ['crm', 'undelivered'],
    ['ops', 'undelivered'],
  ]);
  const aDay = eventsOf(await historiesOf(server.client, run.runId));
  crm.down = null;
  ops.down = null;
  await server.env.sleep('5 hours');
  expect(taken(crm).slice(0, 1)).toEqual(['asked']);
  expect((await only(run)).deliveries?.every(({ status }) => status === 'delivered')).toBe(true);
  await run.decide({ request: id, value: true, by: 'ann' });
  expect(await run.result()).toBe(true);
  expect(taken(crm).filter((why) => why === 'asked')).toEqual(['asked']);
  expect(taken(crm).at(-1)).toBe('closed');
  // Some eleven tries of each in the first day, with as many events each, and the reminders' timers.
  expect(aDay).toBeGreaterThan(100);
  expect(aDay).toBeLessThan(400);
  await replayed(run);
});

it('others are asked over five weeks, all are reminded daily, and the run continues as new meanwhile', async () => {
  const run = await start(
    `local before = os.time()
     local ok = pcall(Human.approve, {
       message = "Pay?", approvers = "ann", timeout = "1w", on_timeout = "error", remind_every = "1d",
       escalate_to = {{to = "boss", timeout = "2w"}, {to = "board", timeout = "2w"}},
     })
     return {ok = ok, days = (os.time() - before) // 86400}`,
    { historyEvents: 150 },
  );
  await only(run);
  expect(await run.result()).toEqual({ ok: false, days: 35 });
  const whys = taken(crm);
  expect(whys.filter((why) => why === 'asked')).toHaveLength(1);
  expect(whys.filter((why) => why === 'escalated')).toHaveLength(2);
  expect(whys.filter((why) => why === 'reminder')).toHaveLength(32);
  expect(whys.at(-1)).toBe('closed');
  const told = crm.received.filter(({ body }) => body['why'] === 'escalated').map(({ body }) => body['to']);
  // At these moments it is time to remind people as well: one message says both.
  expect(told).toEqual([
    ['boss', 'ann'],
    ['board', 'ann', 'boss'],
  ]);
  expect(taken(ops)).toHaveLength(35);
  const ids = crm.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
  const histories = await replayed(run);
  expect(histories.length).toBeGreaterThan(2);
  // Each reminder: a timer, and a message by each channel.
  expect(eventsOf(histories) / 35).toBeLessThan(30);
});

it('a channel that stays down for weeks takes a bounded number of events each day', async () => {
  crm.down = 503;
  const run = await start(
    'return Human.approve{message = "Pay?", channels = "crm", timeout = "2w", default = true}',
  );
  await only(run);
  expect(await run.result()).toBe(true);
  const events = eventsOf(await replayed(run));
  expect(events / 14).toBeLessThan(90);
  expect(taken(crm)).toEqual([]);
});

it('where nobody can be reached, those are asked whose turn would be next', async () => {
  crm.down = 500;
  ops.down = 500;
  const run = await start(`return Human.approve{
    message = "Pay?", approvers = "ann", timeout = "1w", on_undelivered = "escalate",
    escalate_to = {{to = "boss", timeout = "2w"}, {to = "board", timeout = "2w"}},
  }`);
  const { created_at, deadline } = await only(run);
  await server.env.sleep('1 hour');
  const request = await only(run);
  expect(request).toMatchObject({
    ...{ deadline, approvers: ['ann', 'boss'] },
    escalation: [
      { to: ['boss'], asked: true, because: 'undelivered' },
      { to: ['board'], asked: false },
    ],
  });
  const [first, second] = request.escalation?.map(({ at }) => Date.parse(at)) ?? [];
  expect((first ?? 0) - Date.parse(created_at)).toBeLessThan(1_800_000);
  expect((second ?? 0) - (first ?? 0)).toBe(14 * 86_400_000);
  crm.down = null;
  await server.env.sleep('8 days');
  // Its own time isn't over yet, though that of the first is.
  expect((await only(run)).approvers).toEqual(['ann', 'boss']);
  expect(taken(crm)).toEqual(['asked', 'escalated']);
  await server.env.sleep('7 days');
  expect((await only(run)).approvers).toEqual(['ann', 'boss', 'board']);
  await run.decide({ request: request.id, value: true, by: 'board' });
  expect(await run.result()).toBe(true);
  await replayed(run);
});

it('many requests of a channel that is down share its pauses, and all are told at once afterwards', async () => {
  crm.down = 503;
  const body = `return Parallel.map({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, function(i)
    return Human.approve{message = "Pay " .. i .. "?", channels = "crm", timeout = "1d", default = true}
  end)`;
  // Who is about to continue as new cancels messages, some of which have just arrived: a server takes that, and this one
  // refuses the whole workflow task, and gives it out no second time.
  const run = await start(body, oneExecution);
  await pendingOf(run, 15);
  await server.env.sleep('20 hours');
  const tries = crm.received.length;
  // Ten at once in the first minutes, ten times each, and one alone at a time since.
  expect(tries).toBeLessThan(10 * 10 + 13 * 10);
  crm.down = null;
  await run.result();
  expect(taken(crm).filter((why) => why === 'asked')).toHaveLength(15);
  expect(taken(crm).filter((why) => why === 'closed')).toHaveLength(15);
  await replayed(run);
});
