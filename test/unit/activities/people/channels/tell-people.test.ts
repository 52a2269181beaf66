import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { verifyLink } from '../../../../../src/authority/signed-links.js';
import { signedHeaders } from '../../../../../src/activities/people/channels/post-message.js';
import type { ActivityDeps } from '../../../../../src/activities/activity-deps.js';
import type { TellPeopleInput } from '../../../../../src/contract/people/channels/tell-people.js';
import { aRequest } from '../../../contract/human-request.fixture.js';
import { linkKeys } from '../../../../support/link-keys.js';
import { failureOf, runActivity, textOf } from '../../run-activity.js';

const input: TellPeopleInput = {
  ...{ channel: 'ops', key: 'k', why: 'asked', number: 1, procedure: 'orders', to: ['ann'], told: [] },
  request: { ...aRequest(), whole: true },
};
const ops = { ops: { slack: { url: 'OPS' } } };
const secretUrl = 'https://hooks.example.com/services/T0/B0/canary';

function tell(deps: Partial<ActivityDeps>, change: Partial<TellPeopleInput> = {}): Promise<unknown> {
  return runActivity('tellPeople', { ...input, ...change }, { deps });
}

const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): typeof fetch =>
  () =>
    Promise.resolve(new Response(body, { status, headers }));

it.each(['a secret of 24 bytes or more', `whsec_${Buffer.alloc(32, 7).toString('base64')}`])(
  'what is signed with %s is verified by the library of the convention, and nothing else is',
  (value) => {
    const body = '{"a":1}';
    const headers = signedHeaders({ name: 'S', value }, { id: 'msg_1', body, at: new Date() });
    const hook = new Webhook(value, value.startsWith('whsec_') ? {} : { format: 'raw' });
    expect(hook.verify(body, headers)).toEqual({ a: 1 });
    expect(() => hook.verify('{"a":2}', headers)).toThrow();
    expect(() => hook.verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow();
  },
);

it.each<[Partial<ActivityDeps>, string, boolean]>([
  [{ channels: ops }, 'It needs the secret OPS: set OPS (or OPS_FILE)', false],
  [{ channels: { crm: ops.ops } }, 'Channel ops: no configuration of this worker has it', true],
  [
    { channels: ops, env: { OPS: 'file:///etc/passwd' } },
    'the URL in OPS must be an http or https URL',
    true,
  ],
  [{ channels: ops, env: { OPS: secretUrl }, fetch: answering(503) }, 'Channel ops: answered 503', false],
  [{ channels: ops, env: { OPS: secretUrl }, fetch: answering(404) }, 'Channel ops: answered 404', true],
  [
    { channels: ops, env: { OPS: secretUrl }, fetch: answering(500, {}, `no ${secretUrl} here`) },
    'Channel ops: answered 500: no [redacted] here',
    false,
  ],
])('%j fails with %s', async (deps, message, nonRetryable) => {
  const failure = await failureOf(tell(deps));
  expect(failure).toMatchObject({ nonRetryable, message: expect.stringContaining(message) as string });
  expect(textOf(failure)).not.toContain('canary');
});

it('who asks for little time is given it by the next attempt, for much by the channel; an unfit message is alone', async () => {
  const asked = (fetch: typeof globalThis.fetch): Promise<unknown> =>
    tell({ channels: ops, env: { OPS: secretUrl }, fetch });
  const soon = await failureOf(asked(answering(429, { 'retry-after': '30' })));
  expect(soon).toMatchObject({ nonRetryable: false, nextRetryDelay: 30_000 });
  const later = await failureOf(asked(answering(429, { 'retry-after': '7200' })));
  expect(later).toMatchObject({ nonRetryable: true, details: [{ retryAfterMs: 7_200_000 }] });
  const unfit = await failureOf(asked(answering(400, {}, 'invalid_blocks')));
  expect(unfit).toMatchObject({ nonRetryable: true, details: [{ alone: true }] });
  expect(unfit.message).toBe('Channel ops: answered 400: invalid_blocks');
  expect(await asked(answering(410))).toEqual({ gone: true });
});

it.each([
  ['https://hooks.example.com/a?b', true],
  ['https://hooks.example.com:443/a', true],
  ['https://HOOKS.example.com/a', true],
  ['http://hooks.example.com/a', false],
  ['https://hooks.example.com:8443/a', false],
  ['https://hooks.example.com.evil.example/a', false],
  ['https://evil.example/hooks.example.com', false],
  ['https://hooks.example.com@evil.example/', false],
  ['https://user@hooks.example.com/', false],
  ['http://127.0.0.1:7777/x', true],
  ['http://127.0.0.1:7778/x', false],
  ['http://localhost:7777/x', false],
  ['http://169.254.169.254/latest/meta-data', false],
  ['file:///etc/passwd', false],
])('a callback to %s is allowed: %s', async (callbackUrl, isAllowed) => {
  const sent: string[] = [];
  const fetch = ((url: URL) => {
    sent.push(String(url));
    return Promise.resolve(new Response());
  }) as typeof globalThis.fetch;
  const webhookHosts = { 'hooks.example.com': 'HOOKS', 'http://127.0.0.1:7777': 'HOOKS' };
  const env = { HOOKS: 'x'.repeat(24) };
  const told = tell({ webhookHosts, env, fetch }, { channel: 'callback', callbackUrl });
  if (isAllowed) expect(await told).toEqual({ closes: true });
  else expect((await failureOf(told)).nonRetryable).toBe(true);
  expect(sent).toHaveLength(isAllowed ? 1 : 0);
});

it('a chat of one person is given a link of theirs where the run wants signatures, and no history has it', async () => {
  const { key, links } = linkKeys();
  const signed = { ...input.request, authority: 'signed' as const, approvers: ['ann', 'bob'] };
  const sent: string[] = [];
  const deps: Partial<ActivityDeps> = {
    ...{ env: { OPS: secretUrl }, publicUrl: 'https://t.example', links: { key, validMs: 60_000 } },
    channels: { ops: { slack: { url: 'OPS', person: 'ann' }, links: true } },
    fetch: (_url, init) => {
      sent.push(init?.body as string);
      return Promise.resolve(new Response(/#[\w.-]+/.exec(init?.body as string)?.[0] ?? '', { status: 500 }));
    },
  };
  const failure = await failureOf(tell(deps, { request: signed as typeof input.request }));
  const [, token = ''] = /https:\/\/t\.example\/link#([\w.-]+)\|/.exec(sent[0] ?? '') ?? [];
  expect(verifyLink(token, links)).toMatchObject({
    claims: { approver: 'ann', request: input.request.id, digest: input.request.digest },
  });
  expect(failure.message).toMatch(/^Channel ops: answered 500: #k1\.\[redacted\]\.\w+$/);
  expect(textOf(failure)).not.toContain(token.split('.')[1]);

  const without: Partial<typeof signed>[] = [
    { approvers: ['bob'] },
    { requester: 'ann' },
    { authority: undefined as never },
    { deadline: new Date().toISOString() },
  ];
  for (const change of without) {
    await failureOf(tell(deps, { request: { ...signed, ...change } as typeof input.request }));
    expect(sent.at(-1)).toContain('https://t.example/requests/');
    expect(sent.at(-1)).not.toContain('/link#');
  }
  const { links: _, ...keyless } = deps;
  await expect(tell(keyless)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('needs authority.links') as string,
  });
});
