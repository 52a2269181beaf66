import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { Channel, Delivery } from '../../../src/contract/people/channels/channel.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import type { RunSettings } from '../../../src/contract/runs/run-settings.js';
import { startChildWorker } from '../../support/child-worker.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { startReceiver, type MessageReceiver } from '../../support/message-receiver.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { startSmtp, type SmtpStandIn } from '../../support/smtp-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker, type TestWorkerOptions } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const secret = 'whsec_' + Buffer.from('a secret of more than 24 bytes').toString('base64');
let server: TestServer;
let worker: TestWorker;
let receiver: MessageReceiver;
let other: MessageReceiver;
let smtp: SmtpStandIn;

beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  [receiver, other, smtp] = await Promise.all([startReceiver(), startReceiver(), startSmtp()]);
  worker = await startWorker(server, options());
});
afterEach(async () => {
  await worker.stop();
  await Promise.all([receiver.close(), other.close(), smtp.close()]);
});

function options(): TestWorkerOptions {
  const channels: Record<string, Channel> = {
    crm: { webhook: { url: `${receiver.url}/crm`, secret: 'CRM' } },
    ...Object.fromEntries(
      ['moved', 'gone', 'closed', 'busy'].map((name) => [
        name,
        { webhook: { url: `${receiver.url}/${name}`, secret: 'CRM' } },
      ]),
    ),
    ops: { slack: { url: 'SLACK' } },
    desk: { teams: { url: 'TEAMS' } },
    mail: {
      email: {
        ...{ host: '127.0.0.1', port: smtp.port, tls: 'none', from: 'Tactus <tactus@example.com>' },
        to: { ann: 'ann@example.com', bob: 'bob@example.com' },
      },
    },
    sealed: {
      email: {
        host: '127.0.0.1',
        port: smtp.port,
        from: 'tactus@example.com',
        to: { ann: 'ann@example.com' },
      },
    },
  };
  const env = { CRM: secret, SLACK: `${other.url}/slack`, TEAMS: `${other.url}/teams`, BACK: 'x'.repeat(30) };
  const webhookHosts = { [other.url]: 'BACK', 'hooks.example.com': 'BACK' };
  return { activities: { channels, env, webhookHosts, publicUrl: 'https://tactus.example.com' } };
}

function start(body: string, settings: RunSettings = {}, limits = {}): Promise<TactusRun> {
  return server.tactus.start(procedureOf(body), {}, { settings, limits });
}

/** The request once each of its messages has become of it what is wanted. */
function settled(run: TactusRun, status: Delivery['status'] = 'delivered'): Promise<HumanRequest> {
  return waitUntil(async () => {
    const [request] = await run.pending();
    const all = request?.deliveries ?? [];
    return all.length > 0 && all.every((each) => each.status === status) && (request ?? null);
  });
}

async function expectReplay(run: TactusRun): Promise<void> {
  const histories = await historiesOf(server.client, run.runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(server.client, run)).toEqual([]);
}

it('a webhook is told, signed, until it takes the message, and hears of the end', async () => {
  receiver.answers = [{ status: 500 }, { status: 500 }];
  const run = await start('return Human.approve{message = "Pay?", approvers = "ann"}', { channels: ['crm'] });
  const { id, deliveries } = await settled(run);
  expect(deliveries).toMatchObject([
    { channel: 'crm', reason: 'asked', number: 1, status: 'delivered', closes: true },
  ]);
  expect(receiver.received.map(({ status }) => status)).toEqual([500, 500, 200]);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  const hook = new Webhook(secret);
  for (const { text, headers } of receiver.received)
    expect(hook.verify(text, headers as Record<string, string>)).toMatchObject({ id });
  const encoded = encodeURIComponent(id);
  expect(receiver.received[0]).toMatchObject({
    path: '/crm',
    body: {
      ...{ id, why: 'asked', kind: 'approval', message: 'Pay?', approvers: ['ann'], to: ['ann'] },
      procedure: 'main',
      callback_url: `https://tactus.example.com/api/v1/namespaces/default/requests/${encoded}/decide`,
      page_url: `https://tactus.example.com/requests/${encoded}`,
    },
  });
  await run.decide({ request: id, value: true, by: 'ann' });
  // The run ends with the decision, and still says so.
  expect(await run.result()).toBe(true);
  const [, closed] = await receiver.taken(2);
  expect(closed?.body).toMatchObject({ id, why: 'closed', how: 'decided', by: 'ann' });
  expect(hook.verify(closed?.text ?? '', closed?.headers as Record<string, string>)).toBeTruthy();
  expect((await run.log()).execution_log[0]?.result).toMatchObject({ deliveries: [{ status: 'delivered' }] });
  await expectReplay(run);
});

it('chats and mail are told, each person once, and nobody twice', async () => {
  smtp.unknown.add('bob@example.com');
  const run = await start(
    'return Human.approve{message = "Pay <!channel>?", approvers = {"ann", "bob", "eve"}, channels = {"ops", "desk", "mail"}}',
  );
  const { id, deliveries } = await settled(run);
  expect(deliveries?.find(({ channel }) => channel === 'mail')).toMatchObject({
    told: ['ann'],
    problem: expect.stringMatching(/no address of eve; bob: .*no such user/) as string,
  });
  const byPath = Object.fromEntries(other.received.map(({ path, text }) => [path, text]));
  expect(byPath['/slack']).toContain('Pay &lt;!channel&gt;?');
  expect(byPath['/slack']).toContain(`<https://tactus.example.com/requests/${encodeURIComponent(id)}|`);
  expect(byPath['/teams']).toContain('"TextRun","text":"Pay <!channel>?"');
  expect(smtp.mails.map(({ to }) => to)).toEqual([['ann@example.com']]);
  expect(smtp.mails[0]?.text).toMatch(/^Subject: Approval wanted: Pay <!channel>\?\r$/m);
  await run.decide({ request: id, value: true, by: 'eve' });
  expect(await run.result()).toBe(true);
  expect(other.received).toHaveLength(2);
  expect(smtp.mails).toHaveLength(1);
  await expectReplay(run);
});

it('a mail server that puts one person off is asked again for that one alone', async () => {
  smtp.putOff = 1;
  const run = await start('return Human.approve{message = "Pay?", channels = "mail"}');
  const { deliveries } = await settled(run);
  expect(deliveries).toMatchObject([{ told: ['ann', 'bob'] }]);
  expect(smtp.mails.map(({ to }) => to[0])).toEqual(['ann@example.com', 'bob@example.com']);
  await run.cancel();
  await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
});

it('what can not be sent says why, at once, and its request is open all the same', async () => {
  const cases = [
    ['channels = {"none"}', 'no configuration of this worker has it'],
    ['channels = {}, callback_url = "http://127.0.0.1:1/x"', 'no webhook_hosts of this worker allow'],
    ['channels = {}, callback_url = "http://hooks.example.com/x"', 'no webhook_hosts'],
    ['channels = {}, callback_url = "https://hooks.example.com.evil.net/x"', 'no webhook_hosts'],
    ['channels = {}, callback_url = "https://hooks.example.com:444/x"', 'no webhook_hosts'],
    ['channels = "sealed"', 'STARTTLS'],
    ['channels = "mail", approvers = "eve"', 'nobody who is asked has an address here: eve'],
    ['channels = "moved"', 'answered 302: redirects are not followed'],
    ['channels = "gone"', 'takes no more messages (410)'],
    ['channels = "closed"', 'answered 403: not you\ufffd[31m'],
    ['channels = "busy"', 'answered 429'],
  ] as const;
  receiver.byPath = {
    '/moved': { status: 302, headers: { location: `${other.url}/x` } },
    '/gone': { status: 410 },
    '/closed': { status: 403, body: 'not you\u001b[31m' },
    '/busy': { status: 429, headers: { 'retry-after': '7200' } },
  };
  const calls = cases.map(([fields]) => `function() return Human.approve{message = "Pay?", ${fields}} end`);
  const run = await start(`return Parallel{${calls.join(',')}}`, { channels: ['crm'] });
  const requests = await waitUntil(async () => {
    const pending = await run.pending();
    const problems = pending.flatMap(({ deliveries = [] }) => deliveries.map(({ problem }) => problem));
    return problems.length === cases.length && problems.every((problem) => problem) && pending;
  });
  for (const [i, { deliveries }] of requests.entries())
    expect(deliveries).toMatchObject([
      { status: 'undelivered', problem: expect.stringContaining(cases[i]?.[1] ?? '') as string },
    ]);
  for (const { id } of requests) await run.decide({ request: id, value: true, by: 'eve' });
  expect(await run.result()).toHaveLength(cases.length);
  // Each is asked once, and none hears of the end.
  expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/busy', '/closed', '/gone', '/moved']);
  expect(other.received).toEqual([]);
  await expectReplay(run);
});

it('who asks for a while is left alone for so long, and then told', async () => {
  receiver.answers = [{ status: 429, headers: { 'retry-after': '4' } }];
  const begun = Date.now();
  const run = await start('return Human.approve{message = "Pay?", channels = "crm"}');
  await settled(run);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(4_000);
  expect(receiver.received).toHaveLength(2);
  await run.terminate();
});

it('a URL of its own is told where its host is allowed, and its worker may die meanwhile', async () => {
  receiver.down = 503;
  const body = (url: string): string =>
    `return Human.approve{message = "Pay?", channels = "crm", callback_url = "${url}"}`;
  const run = await start(body(`${other.url}/back?x=1`));
  const [{ headers, path, text } = { headers: {}, path: '', text: '' }] = await other.taken(1);
  expect(path).toBe('/back?x=1');
  expect(
    new Webhook('x'.repeat(30), { format: 'raw' }).verify(text, headers as Record<string, string>),
  ).toBeTruthy();
  expect(text).not.toContain('back?x=1');
  await waitUntil(async () => receiver.received.length > 0);
  await worker.stop();
  receiver.down = null;
  worker = await startWorker(server, options());
  const request = await settled(run);
  expect(request).not.toHaveProperty('callback_url');
  expect(request.deliveries?.map(({ channel }) => channel)).toEqual(['crm', 'callback']);
  expect(other.received).toHaveLength(1);
  await run.decide({ request: request.id, value: true });
  await run.result();
  expect((await other.taken(2))[1]?.body).toMatchObject({ why: 'closed' });
  await expectReplay(run);
});

it('who is told just when the request is closed hears of the end; who could not be told need not', async () => {
  receiver.down = 503;
  let answer = (): void => undefined;
  other.held = new Promise((resolve) => (answer = resolve));
  const url = `${other.url}/back`;
  const run = await start(
    `Human.approve{message = "Pay?", channels = "crm", callback_url = "${url}"}
     return Human.approve{message = "Next?", channels = {}}`,
  );
  const [request] = await pendingOf(run);
  await waitUntil(async () => receiver.received.length > 0 && other.received.length > 0);
  await run.decide({ request: request?.id ?? '', value: true });
  const next = await waitUntil(
    async () => (await run.pending()).find(({ message }) => message === 'Next?') ?? null,
  );
  receiver.down = null;
  answer();
  expect((await other.taken(2)).map(({ body }) => body['why'])).toEqual(['asked', 'closed']);
  await run.decide({ request: next.id, value: true });
  await run.result();
  expect(receiver.received.filter(({ status }) => status === 200)).toEqual([]);
  expect(other.received).toHaveLength(2);
  await expectReplay(run);
});

it('no other execution takes over while a message is on its way, and none is sent again by it', async () => {
  let answer = (): void => undefined;
  receiver.held = new Promise((resolve) => (answer = resolve));
  // What rests goes on resting there.
  other.down = 403;
  const body = 'return Human.approve{message = "Pay?", channels = {"crm", "ops"}}';
  const run = await start(body, {}, { historyEvents: 40 });
  const [request] = await pendingOf(run);
  await waitUntil(async () => receiver.received.length > 0 && other.received.length > 0);
  const { runId: before } = await run.handle.describe();
  const knock = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++)
      await run.handle.signal('decide', { request: `${run.runId}/9`, value: i, id: `${i}` });
  };
  await knock(40);
  expect((await run.pending())[0]?.deliveries?.[0]).toMatchObject({ status: 'sending' });
  expect((await run.handle.describe()).runId).toBe(before);
  answer();
  await waitUntil(async () => (await run.handle.describe()).runId !== before);
  const [still] = await pendingOf(run);
  expect(still?.deliveries?.map(({ status }) => status)).toEqual(['delivered', 'undelivered']);
  await run.decide({ request: request?.id ?? '', value: true });
  expect(await run.result()).toBe(true);
  expect(receiver.received.map(({ body: sent }) => sent['why'])).toEqual(['asked', 'closed']);
  expect(other.received).toHaveLength(1);
  await expectReplay(run);
});

it('messages that arrive while the run is about to continue as new are sent once', async () => {
  const body = `checkpoint(function() return 1 end)
    return #Parallel.map({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, function(i)
      return Human.approve{message = "Pay " .. i .. "?", channels = "crm"}
    end)`;
  // Ten at once: as soon as a few have arrived, the others are given up, of which some have arrived by then.
  const run = await start(body, {}, { historyEvents: 15 });
  const asked = await receiver.taken(16);
  for (const request of await pendingOf(run, 16)) await run.decide({ request: request.id, value: true });
  expect(await run.result()).toBe(16);
  expect(new Set(asked.map(({ headers }) => headers['webhook-id'])).size).toBe(16);
  const whys = receiver.received.map(({ body: sent }) => sent['why']);
  expect(whys.filter((why) => why === 'asked')).toHaveLength(16);
  expect((await historiesOf(server.client, run.runId)).length).toBeGreaterThan(1);
  await expectReplay(run);
});

it('whom it is handed on to is told as well', async () => {
  const run = await start('return Human.approve{message = "Pay?", approvers = "ann", channels = "mail"}');
  const { id } = await settled(run);
  await run.decide({ request: id, value: null, action: 'delegate', to: 'bob', by: 'ann' });
  await smtp.taken(2);
  expect(smtp.mails.map(({ to }) => to[0])).toEqual(['ann@example.com', 'bob@example.com']);
  await run.decide({ request: id, value: true, by: 'bob' });
  expect(await run.result()).toBe(true);
});

it('a channel that the configuration has not is an error, and nobody is asked', async () => {
  const settings = { channels: ['crm'], knownChannels: ['crm', 'ops'] };
  const run = await start('return Human.approve{message = "Pay?", channels = "none"}', settings);
  await expect(run.result()).rejects.toThrow('No configuration has the channel "none"; there are crm, ops');
  expect(receiver.received).toEqual([]);
});

it('nobody is told in a test, or where a request says so', async () => {
  const mock = { all: true, agents: {}, results: {}, people: [] };
  const settings = { channels: ['crm'], knownChannels: ['crm'] };
  const source = procedureOf('return Human.approve{message = "Pay?", remind_every = "1h"}');
  const mocked = await server.tactus.start(source, {}, { settings, mock });
  expect(await mocked.result()).toBe(true);
  const run = await start('return Human.approve{message = "Pay?", channels = {}}', settings);
  const [request] = await pendingOf(run);
  expect(request).not.toHaveProperty('channels');
  await run.decide({ request: request?.id ?? '', value: true });
  await run.result();
  expect(receiver.received).toEqual([]);
});

it.each([
  ['before it has sent', 1, 1],
  // What nobody can prevent: whoever gets it can tell.
  ['when it has sent and nobody knows', 2, 2],
])('a worker is killed %s: the message comes by one id', async (_, nth, times) => {
  await worker.stop();
  const { activities } = options();
  const { env, ...tools } = activities ?? {};
  const child = await startChildWorker({
    ...{ address: server.env.address, taskQueue: 'tactus', filesRoot: '/nonexistent' },
    ...{ killAt: { station: 'tellPeople', nth }, tools: { module: null, ...tools } },
    env: env as Record<string, string>,
  });
  const run = await start(
    'return Human.approve{message = "Pay?", channels = "crm"}',
    {},
    { heartbeatMs: 1_000 },
  );
  expect(await child.ended).toBe('SIGKILL');
  worker = await startWorker(server, options());
  await settled(run);
  expect(receiver.received).toHaveLength(times);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  await run.terminate();
});
