import { expect, it } from 'vitest';
import { channelSettings, reachOf } from '../../../src/configuration/channels.js';
import { assertLinks } from '../../../src/contract/people/channels/channel.js';
import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';

const read = (...configs: JsonObject[]): ReturnType<typeof reachOf> =>
  reachOf(configs.map((config, i) => ({ file: `${i}.yml`, config })));

const crm = { webhook: { url: 'https://crm.example.com/hook', secret: 'CRM' } };
const mail = {
  email: { host: 'smtp.example.com', user: 'bot', password: 'SMTP', from: 'Tactus <t@example.com>', to: {} },
};

it('channels of several files stand together, and runs know their names alone', () => {
  const reach = read(
    { channels: { crm, ops: { slack: { url: 'OPS' } } }, public_url: 'https://a.example/' },
    {
      channels: { ops: { teams: { url: 'OPS' }, default: false }, mail },
      webhook_hosts: { 'h.example': 'H' },
    },
  );
  expect(reach).toEqual({
    channels: { crm, ops: { teams: { url: 'OPS' }, default: false }, mail },
    publicUrl: 'https://a.example',
    webhookHosts: { 'h.example': 'H' },
  });
  expect(channelSettings(reach.channels)).toEqual({
    channels: ['crm', 'mail'],
    knownChannels: ['crm', 'ops', 'mail'],
  });
  expect(read({})).toEqual({});
  expect(channelSettings()).toEqual({});
});

it('dispatchers of intents stand together, by their types', () => {
  const crm = { url: 'https://crm.example.com/in', headers: { authorization: { secret: 'CRM' } } };
  const text = (url: string): JsonObject => ({ send_text: { url } });
  expect(
    read({ outbox: text('https://a.example/x') }, { outbox: { ...text('https://b.example/y'), crm } }),
  ).toEqual({
    outbox: { ...text('https://b.example/y'), crm },
  });
});

it.each<[JsonObject, string]>([
  [{ outbox: [1] }, 'outbox must be a table'],
  [{ outbox: { a: 'https://a.example' } }, 'outbox.a must be a table'],
  [{ outbox: { a: { url: 'ftp://a.example' } } }, 'outbox.a.url must be'],
  [{ outbox: { a: { url: 'https://a.example', retries: 3 } } }, 'retries'],
  [{ channels: [] }, 'channels must be a table'],
  [{ channels: { callback: crm } }, "channels.callback can't be called so"],
  [{ channels: { 'a b': crm } }, "can't be called so"],
  [{ channels: { crm: { ...crm, slack: { url: 'A' } } } }, 'must be one of webhook, slack, teams, email'],
  [{ channels: { crm: { sms: {} } } }, 'must be one of webhook, slack, teams, email'],
  [{ channels: { crm: { ...crm, default: 'no' } } }, 'default must be true or false'],
  [{ channels: { crm: { webhook: { url: 'ftp://x', secret: 'CRM' } } } }, 'webhook.url must be an http'],
  [{ channels: { crm: { webhook: { url: 'https://x' } } } }, 'webhook.secret must be the name of'],
  [{ channels: { ops: { slack: { url: 'https://hooks.slack.example/canary' } } } }, 'must be the name of'],
  [{ channels: { mail: mailWith({ password: 'canary hunter2' }) } }, 'must be the name of'],
  [{ channels: { mail: mailWith({ tls: 'none' }) } }, 'would send its password for all to read'],
  [{ channels: { mail: mailWith({ tls: 'ssl' }) } }, 'tls must be one of'],
  [{ channels: { mail: mailWith({ port: 0 }) } }, 'port must be a port'],
  [{ channels: { mail: mailWith({ user: 'x', password: undefined }) } }, 'both user and password'],
  [
    { channels: { mail: mailWith({ to: { ann: 'ann@example.com\r\nBcc: eve@example.com' } }) } },
    'must be an address',
  ],
  [{ channels: { mail: mailWith({ to: { ann: 'a@example.com, b@example.com' } }) } }, 'must be an address'],
  [{ channels: { mail: mailWith({ cc: 'x' }) } }, 'unknown field cc'],
  [{ channels: { mail: { ...mail, links: 'yes' } } }, 'links must be true or false'],
  [{ channels: { crm: { ...crm, links: true } } }, 'programs decide with a token, and get no links'],
  [{ channels: { ops: { slack: { url: 'OPS' }, links: true } } }, 'slack.person must say who alone does'],
  [{ channels: { ops: { teams: { url: 'OPS', person: '' } } } }, 'teams.person must be text'],
  [{ webhook_hosts: { 'h.example/path': 'H' } }, 'must be a host'],
  [{ webhook_hosts: { 'h.example': 'https://h' } }, 'must be the name of'],
  [{ public_url: 'tactus.example' }, 'public_url must be an http'],
])('%j is refused, and no secret is told', (config, why) => {
  expect(() => read(config)).toThrow(why);
  expect(() => read(config)).not.toThrow('canary');
});

function mailWith(change: Record<string, JsonValue | undefined>): JsonObject {
  const email = Object.fromEntries(
    Object.entries({ ...mail.email, ...change }).filter(([, value]) => value !== undefined),
  );
  return { email: email };
}

it('links go by mail, and by a chat that one person reads; they need a key, and an address to lead to', () => {
  const channels = {
    mail: { ...mail, links: true },
    ann: { slack: { url: 'A', person: 'ann' }, links: true },
  };
  expect(read({ channels })).toEqual({ channels });
  const reach = read({ channels, public_url: 'https://a.example' });
  expect(() => assertLinks(reach, true)).not.toThrow();
  expect(() => assertLinks(reach, false)).toThrow('channels.mail.links needs authority.links');
  expect(() => assertLinks(read({ channels }), true)).toThrow('channels.mail.links needs public_url');
  expect(() => assertLinks(read({ channels: { mail } }), false)).not.toThrow();
});
