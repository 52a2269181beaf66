import {
  callbackChannel,
  channelNamePattern,
  type Channel,
  type ChatChannel,
  type EmailChannel,
  type Reach,
  type WebhookChannel,
} from '../contract/people/channels/channel.js';
import type { Dispatcher } from '../contract/graphs/dispatcher.js';
import { defined, getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../contract/json/json.js';
import type { RunSettings } from '../contract/runs/run-settings.js';
import { configInvalid } from './setting-values.js';

/** Settings that count in files that hold for all procedures alone: whoever writes one doesn't say where requests are sent to. */
const channelsSetting = 'channels';
const publicUrlSetting = 'public_url';
const webhookHostsSetting = 'webhook_hosts';
const outboxSetting = 'outbox';
export const reachSettings = [channelsSetting, publicUrlSetting, webhookHostsSetting, outboxSetting];

/**
 * What several files say of reaching people; what comes later wins.
 * @throws TactusError config_invalid
 */
export function reachOf(configs: readonly { file: string; config: JsonObject }[]): Reach {
  const channels: Record<string, Channel> = {};
  const webhookHosts: Record<string, string> = {};
  const outbox: Record<string, Dispatcher> = {};
  let publicUrl: string | undefined;
  for (const { file, config } of configs) {
    const own = tableOf(getOwn(config, channelsSetting) ?? {}, `${file}: ${channelsSetting}`);
    for (const [name, channel] of Object.entries(own))
      setOwn(channels, name, readChannel(name, channel, `${file}: ${channelsSetting}.${name}`));
    const hosts = tableOf(getOwn(config, webhookHostsSetting) ?? {}, `${file}: ${webhookHostsSetting}`);
    for (const [host, secret] of Object.entries(hosts)) {
      const where = `${file}: ${webhookHostsSetting}: ${host}`;
      if (!isHost(host))
        throw configInvalid(`${where} must be a host, such as hooks.example.com, or an origin`);
      setOwn(webhookHosts, host, readSecretName(secret, where));
    }
    const dispatchers = tableOf(getOwn(config, outboxSetting) ?? {}, `${file}: ${outboxSetting}`);
    for (const [type, given] of Object.entries(dispatchers))
      setOwn(outbox, type, readDispatcher(given, `${file}: ${outboxSetting}.${type}`));
    const url = getOwn(config, publicUrlSetting) ?? null;
    if (url !== null) publicUrl = readUrl(url, `${file}: ${publicUrlSetting}`).replace(/\/+$/, '');
  }
  return {
    ...(Object.keys(channels).length === 0 ? {} : { channels }),
    ...defined({ publicUrl }),
    ...(Object.keys(webhookHosts).length === 0 ? {} : { webhookHosts }),
    ...(Object.keys(outbox).length === 0 ? {} : { outbox }),
  };
}

function readDispatcher(given: JsonValue, where: string): Dispatcher {
  const table = tableOf(given, where);
  assertKnown(table, ['url', 'headers'], where);
  const { url = null, headers } = table;
  return {
    url: readUrl(url, `${where}.url`),
    ...(headers === undefined ? {} : { headers: tableOf(headers, `${where}.headers`) }),
  };
}

const readers = {
  webhook: (given, where) => ({ webhook: readWebhook(given, where) }),
  slack: (given, where) => ({ slack: readChat(given, where) }),
  teams: (given, where) => ({ teams: readChat(given, where) }),
  email: (given, where) => ({ email: readEmail(given, where) }),
} as const satisfies Record<string, (given: JsonObject, where: string) => Channel>;

type Kind = keyof typeof readers;
const kinds = Object.keys(readers) as Kind[];

function readChannel(name: string, given: JsonValue, where: string): Channel {
  if (!channelNamePattern.test(name) || name === callbackChannel)
    throw configInvalid(`${where} can't be called so: letters, digits, _ and -, and not ${callbackChannel}`);
  const { default: byDefault, links, ...rest } = tableOf(given, where);
  const [kind, ...others] = Object.keys(rest);
  const known = kinds.find((each) => each === kind);
  if (known === undefined || others.length > 0)
    throw configInvalid(`${where} must be one of ${kinds.join(', ')}, with default and links beside it`);
  if (byDefault !== undefined && typeof byDefault !== 'boolean')
    throw configInvalid(`${where}.default must be true or false`);
  if (links !== undefined && typeof links !== 'boolean')
    throw configInvalid(`${where}.links must be true or false`);
  const inner = tableOf(rest[known] ?? null, `${where}.${known}`);
  const channel: Channel = readers[known](inner, `${where}.${known}`);
  if (links === true && !('email' in channel)) assertOneReader(channel, where);
  return {
    ...channel,
    ...defined({ default: byDefault, links }),
  };
}

function readWebhook(given: JsonObject, where: string): WebhookChannel {
  assertKnown(given, ['url', 'secret'], where);
  const { url = null, secret = null } = given;
  return { url: readUrl(url, `${where}.url`), secret: readSecretName(secret, `${where}.secret`) };
}

/** A link answers in the name of one person: nobody else may read it. */
function assertOneReader(channel: Exclude<Channel, { email: EmailChannel }>, where: string): void {
  if ('webhook' in channel)
    throw configInvalid(`${where}.links: programs decide with a token, and get no links`);
  const [kind, { person }] =
    'slack' in channel ? (['slack', channel.slack] as const) : (['teams', channel.teams] as const);
  if (person === undefined)
    throw configInvalid(
      `${where}.links: whoever reads the chat could answer in another's name; ${kind}.person must say who alone does`,
    );
}

/** Whoever knows such a URL may write there: it is a secret. */
function readChat(given: JsonObject, where: string): ChatChannel {
  assertKnown(given, ['url', 'person'], where);
  const { url = null, person } = given;
  return {
    url: readSecretName(url, `${where}.url`),
    ...(person === undefined ? {} : { person: readText(person, `${where}.person`) }),
  };
}

const securities = ['starttls', 'implicit', 'none'] as const;

function readEmail(given: JsonObject, where: string): EmailChannel {
  assertKnown(given, ['host', 'port', 'tls', 'user', 'password', 'from', 'to'], where);
  const { host = null, port, tls, user, password, from = null, to = null } = given;
  const security = securities.find((each) => each === tls);
  if (tls !== undefined && security === undefined)
    throw configInvalid(`${where}.tls must be one of ${securities.join(', ')}`);
  if (port !== undefined && !(Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536))
    throw configInvalid(`${where}.port must be a port`);
  if ((user === undefined) !== (password === undefined))
    throw configInvalid(`${where} must have both user and password, or neither`);
  if (security === 'none' && password !== undefined)
    throw configInvalid(`${where} would send its password for all to read: leave tls out`);
  const addresses: Record<string, string> = {};
  for (const [name, address] of Object.entries(tableOf(to, `${where}.to`)))
    setOwn(addresses, name, readAddress(address, `${where}.to.${name}`));
  return {
    host: readText(host, `${where}.host`),
    ...(port === undefined ? {} : { port: Number(port) }),
    ...defined({ tls: security }),
    ...(user === undefined ? {} : { user: readText(user, `${where}.user`) }),
    ...(password === undefined ? {} : { password: readSecretName(password, `${where}.password`) }),
    from: readAddress(from, `${where}.from`),
    to: addresses,
  };
}

function assertKnown(given: JsonObject, known: readonly string[], where: string): void {
  const odd = Object.keys(given).find((key) => !known.includes(key));
  if (odd !== undefined)
    throw configInvalid(`${where} has the unknown field ${odd}; there are ${known.join(', ')}`);
}

function tableOf(given: JsonValue, where: string): JsonObject {
  if (isObject(given)) return given;
  throw configInvalid(`${where} must be a table`);
}

function readText(given: JsonValue, where: string): string {
  if (typeof given === 'string' && given.trim() !== '') return given.trim();
  throw configInvalid(`${where} must be text`);
}

/** A secret that stands there by mistake isn't told. */
function readSecretName(given: JsonValue, where: string): string {
  if (typeof given === 'string' && /^[A-Za-z_]\w*$/.test(given)) return given;
  throw configInvalid(`${where} must be the name of an environment variable`);
}

function readAddress(given: JsonValue, where: string): string {
  // One mailbox, perhaps with a name before it: what a mail's header can't be broken with.
  if (typeof given === 'string' && /^([^<>\r\n,;"]+<)?[^\s<>@,;"]+@[^\s<>@,;"]+>?$/.test(given)) return given;
  throw configInvalid(`${where} must be an address, such as ann@example.com`);
}

function readUrl(given: JsonValue, where: string): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return given as string;
  throw configInvalid(`${where} must be an http or https URL without a user in it`);
}

function isHost(text: string): boolean {
  const url = URL.canParse(originText(text)) ? new URL(originText(text)) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
}

function originText(host: string): string {
  return host.includes('://') ? host : `https://${host}`;
}

/** What goes with a run of the channels that there are: their names alone. Nothing where there is none. */
export function channelSettings(
  channels: Reach['channels'] = {},
): Pick<RunSettings, 'channels' | 'knownChannels'> {
  const knownChannels = Object.keys(channels);
  if (knownChannels.length === 0) return {};
  const byDefault = Object.entries(channels).filter(([, channel]) => channel.default !== false);
  return { channels: byDefault.map(([name]) => name), knownChannels };
}
