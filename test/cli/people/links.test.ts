import type { ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { mailText } from '../../support/mail-text.js';
import { startReceiver, type MessageReceiver } from '../../support/message-receiver.js';
import { startSmtp, type SmtpStandIn } from '../../support/smtp-stand-in.js';
import { waitUntil } from '../../support/wait-until.js';

let folder: CliFolder;
let smtp: SmtpStandIn;
let chat: MessageReceiver;
let serving: ChildProcess | null = null;
beforeAll(async () => {
  [smtp, chat] = await Promise.all([startSmtp(), startReceiver()]);
  folder = cliFolder({ CHAT: `${chat.url}/bob`, ALL: `${chat.url}/all` });
});
afterAll(async () => {
  serving?.kill('SIGTERM');
  await folder.close();
  await Promise.all([smtp.close(), chat.close()]);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

const linkIn = (text: string): string => /https?:\/\/[^\s|"\\]+\/link#[\w.-]+/.exec(text)?.[0] ?? '';

it('a person without an account answers by the link in a mail, whatever has looked at it before', async () => {
  const made = (await folder.runHere(['authority', 'keygen', 'k1', '--json'])).json() as {
    authority: JsonObject;
  };
  await folder.runHere(['authority', 'keygen', 'k2', '--json']);
  const port = await freePort();
  const email = { host: '127.0.0.1', port: smtp.port, tls: 'none', from: 'tactus@example.com' };
  const config = {
    authority: { ...made.authority, links: { key: 'k1', file: 'k1.pem' } },
    public_url: `http://127.0.0.1:${port}`,
    channels: {
      mail: { email: { ...email, to: { ann: 'ann@example.com', eve: 'eve@example.com' } }, links: true },
      bob: { slack: { url: 'CHAT', person: 'bob' }, links: true },
      all: { slack: { url: 'ALL' } },
    },
  };
  const write = (change: object): void =>
    // JSON is YAML.
    folder.write('.tactus/config.yml', JSON.stringify({ ...config, ...change }));
  folder.write(
    'pay.tac',
    `function main()
      local paid = Human.approve{message = "Pay 500?", context = {invoice = "4711"}, approvers = {"ann", "bob"}, timeout = "1d"}
      print("the next line: " .. tostring(paid))
      return paid
    end`,
  );

  const refused = async (change: object): Promise<string> => {
    write(change);
    const ended = await folder.runHere(['serve', '--port', '0', '--json']);
    expect(ended.code).toBe(2);
    return JSON.stringify(ended.json()['error']);
  };
  expect(await refused({ authority: made.authority })).toContain('channels.mail.links needs authority.links');
  expect(await refused({ authority: {} })).toContain('channels.mail.links needs authority.links');
  expect(await refused({ public_url: null })).toContain('channels.mail.links needs public_url');
  const links = (change: object) => ({ authority: { ...made.authority, links: { key: 'k1', ...change } } });
  expect(await refused(links({ file: 'gone.pem' }))).toContain(
    "gone.pem, with which links are signed, can't be",
  );
  expect(await refused(links({ file: 'k2.pem' }))).toContain(
    'signs with another key than authority.keys has as k1',
  );

  write({});
  serving = folder.start(['serve', '--port', String(port), '--json']);
  const api = `http://127.0.0.1:${port}`;
  await waitUntil(() =>
    fetch(`${api}/api/v1/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  expect((await folder.runHere(['run', 'pay.tac', '--id', 'one', '--json'])).code).toBe(3);
  const [mail] = await smtp.taken(1);
  expect(mail?.to).toEqual(['ann@example.com']);
  const link = new URL(linkIn(mailText(mail?.text ?? '')));
  const toAll = await waitUntil(() => {
    const found = chat.received.find(({ path }) => path === '/all');
    return Promise.resolve(chat.received.length >= 2 && (found ?? null));
  });
  expect(toAll.text).toContain(`${api}/requests/one%2F0|`);
  expect(toAll.text).not.toContain('/link#');
  const bobs = chat.received.find(({ path }) => path === '/bob');
  const ofBob = new URL(linkIn(bobs?.text ?? ''));
  expect(ofBob.hash).not.toBe(link.hash);

  // A scanner: it sends what stands before the `#`, and may run the page besides.
  const shown = `${link.origin}${link.pathname}`;
  for (const agent of ['scanner', 'another client'])
    for (const method of ['HEAD', 'GET', 'GET', 'GET']) {
      const page = await fetch(shown, { method, headers: { 'user-agent': agent } });
      expect(page.status).toBe(200);
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('x-robots-tag')).toContain('noindex');
      expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self'(;|$)/);
    }
  const ask = async (how: URL, path = '', body?: object): Promise<{ status: number; body: JsonObject }> => {
    const response = await fetch(`${api}/api/v1/link${path}`, {
      headers: { authorization: `Link ${how.hash.slice(1)}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as JsonObject };
  };
  for (let i = 0; i < 3; i++)
    expect((await ask(link)).body).toMatchObject({
      ...{ state: 'open', approver: 'ann', request: { message: 'Pay 500?', context: { invoice: '4711' } } },
    });
  const taken = await ask(link, '/decide', { value: true, comment: 'from the mail' });
  expect(taken).toMatchObject({ status: 200, body: { outcome: 'accepted' } });
  const log = await waitUntil(async () => {
    const told = (await folder.runHere(['log', 'one', '--json'])).json();
    return told['status'] === 'completed' && told;
  });
  expect(log).toMatchObject({
    authority: 'signed',
    execution_log: [{ by_verified: true, result: { value: true, by: 'ann', comment: 'from the mail' } }],
  });
  const result = (await folder.runHere(['result', 'one', '--json'])).json();
  expect(result).toMatchObject({ output: true });
  expect(JSON.stringify((await folder.runHere(['status', 'one', '--json'])).json())).toContain(
    'the next line: true',
  );

  // Whoever posts again, by this link or another one, is told and changes nothing.
  expect(await ask(link, '/decide', { value: true })).toMatchObject({
    ...{ status: 200, body: { outcome: 'duplicate' } },
  });
  expect(await ask(ofBob, '/decide', { value: false })).toMatchObject({
    status: 409,
    body: { outcome: 'late' },
  });
  expect((await ask(ofBob)).body).toMatchObject({ state: 'closed', request: { answer: { by: 'ann' } } });
  expect((await folder.runHere(['result', 'one', '--json'])).json()).toMatchObject({ output: true });
});
