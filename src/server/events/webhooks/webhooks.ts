import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { webhookKey } from '../../../authority/webhook-key.js';
import type { Environment } from '../../../contract/environment.js';
import { TactusError } from '../../../contract/errors.js';
import { isJson, readIdentities, readJson, type JsonValue } from '../../../contract/json/json.js';
import { readSecret } from '../../../activities/secrets/secrets.js';
import { RequestProblem } from '../../http/problem.js';
import type { ServerSettings } from '../../settings.schema.js';
import { filled, valueAt } from './json-pointer.js';
import { SeenInMemory, type SeenMessages } from './seen-messages.js';

/** A message as it arrived. */
interface WebhookMessage {
  header: (name: string) => string | undefined;
  body: Buffer;
}

/**
 * How a sender signs. `standard`: as Standard Webhooks have it, over id, time and body. `body`: over the body alone, in
 * hexadecimal or base64, in a header of its own, with `sha256=` before it or not.
 */
type WebhookScheme = { scheme: 'standard' } | { scheme: 'body'; header: string };

/** A message may be so old, or from a clock so far ahead. */
const toleranceSeconds = 300;
/** A message carries a signature for each key, while keys are changed. */
const mostSignatures = 10;

/** What `webhook-id` and `webhook-timestamp` say. */
interface Stamp {
  id: string;
  timestamp: string;
}

/**
 * Checks what can be seen before the body is read: the message says how it is signed, and is not old.
 * @throws TactusError unauthenticated
 */
function expectSigned(scheme: WebhookScheme, header: WebhookMessage['header'], now = Date.now()): void {
  if (scheme.scheme === 'standard') stampOf(header, now);
  if (signaturesOf(scheme, header).length === 0) throw refused(scheme);
}

/**
 * Whether the message is of who has the key. The sender's id of it, as far as that is signed: else a digest of the body.
 * @throws TactusError unauthenticated
 */
function verifyWebhook(
  scheme: WebhookScheme,
  key: Buffer,
  { header, body }: WebhookMessage,
  now = Date.now(),
): string {
  const stamp = scheme.scheme === 'standard' ? stampOf(header, now) : null;
  const signed = createHmac('sha256', key);
  if (stamp !== null) signed.update(`${stamp.id}.${stamp.timestamp}.`);
  const expected = signed.update(body).digest();
  const isSigned = signaturesOf(scheme, header).some(
    (given) => given.length === expected.length && timingSafeEqual(given, expected),
  );
  if (!isSigned) throw refused(scheme);
  // An id in a header that isn't signed: whoever has seen the message could send it again under another one.
  return stamp?.id ?? createHash('sha256').update(body).digest('hex');
}

function stampOf(header: WebhookMessage['header'], now: number): Stamp {
  const id = header('webhook-id') ?? '';
  const timestamp = header('webhook-timestamp') ?? '';
  if (id === '' || id.length > 500 || !/^\d{1,12}$/.test(timestamp))
    throw new TactusError('unauthenticated', 'webhook-id and webhook-timestamp are needed');
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new TactusError('unauthenticated', `webhook-timestamp is more than ${toleranceSeconds} s from now`);
  return { id, timestamp };
}

/** The signatures that the headers have; empty where none could be one. */
function signaturesOf(scheme: WebhookScheme, header: WebhookMessage['header']): Buffer[] {
  const given = header(signatureHeader(scheme)) ?? '';
  if (scheme.scheme === 'standard')
    return given
      .split(' ')
      .slice(0, mostSignatures)
      .filter((each) => each.startsWith('v1,'))
      .map((each) => Buffer.from(each.slice('v1,'.length), 'base64'));
  const text = given.replace(/^sha256=/, '');
  return text === '' ? [] : [Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64')];
}

function signatureHeader(scheme: WebhookScheme): string {
  return scheme.scheme === 'standard' ? 'webhook-signature' : scheme.header;
}

function refused(scheme: WebhookScheme): TactusError {
  return new TactusError(
    'unauthenticated',
    `${signatureHeader(scheme)} was not made with the secret of this webhook`,
  );
}

/** A sender of events, and what becomes of its messages. */
interface Webhook {
  scheme: WebhookScheme;
  key: Buffer;
  namespace: string;
  /** Id of the run, with pointers into the message: `order-{/data/id}`. */
  run: string;
  /** Name of the event, in the same way. */
  event: string;
  /** Pointer to what the procedure gets; left out: the whole message. */
  value: string;
  /** Pointer to the sender's id of the message; left out: that of the scheme. */
  id: string | null;
}

/** What a message comes to. */
export interface SentEvent {
  namespace: string;
  run: string;
  event: string;
  value: JsonValue;
  /** Of the sender: sent again, it is the same event. */
  id: string;
  /** Whether the message says when it was sent: an old one is refused by that. */
  isDated: boolean;
}

/** A dated message is refused after this time, wherever the two clocks are. */
const datedMs = 2 * toleranceSeconds * 1_000;

/** The senders that configuration names. */
export class Webhooks {
  constructor(
    private readonly byName: ReadonlyMap<string, Webhook>,
    private readonly seen: SeenMessages = new SeenInMemory(),
  ) {}

  /** Checks what can be seen before the body is read. @throws TactusError unauthenticated; RequestProblem usage */
  expect(name: string, header: WebhookMessage['header']): void {
    expectSigned(this.named(name).scheme, header);
  }

  /** @throws TactusError unauthenticated; usage where the message isn't what the configuration expects */
  read(name: string, message: WebhookMessage): SentEvent {
    const hook = this.named(name);
    const signedId = verifyWebhook(hook.scheme, hook.key, message);
    const text = message.body.toString();
    const named = parsed(text, readIdentities);
    const run = filled(hook.run, named);
    const event = filled(hook.event, named);
    const value = valueAt(parsed(text, readJson), hook.value);
    const id = hook.id === null ? signedId : valueAt(named, hook.id);
    if (run === null || run === '' || run.length > 1_000) throw missing('run', hook.run);
    if (event === null || event === '') throw missing('event', hook.event);
    if (value === undefined) throw missing('value', hook.value);
    if (typeof id !== 'string' && typeof id !== 'number') throw missing('id', hook.id ?? '');
    return {
      namespace: hook.namespace,
      run,
      event,
      value,
      id: `${name}\n${id}`,
      isDated: hook.scheme.scheme === 'standard',
    };
  }

  /**
   * Sends an event, unless it was sent before. Temporal knows that for one execution of a run alone: the same message would be
   * another event after the run has continued as new, or when there is another run of its id.
   */
  async once(sent: SentEvent, send: () => Promise<void>): Promise<void> {
    const { namespace, run, event, id, isDated } = sent;
    const digest = createHash('sha256')
      .update(JSON.stringify([namespace, run, event, id]))
      .digest('base64');
    if (await this.seen.has(digest)) return;
    await send();
    await this.seen.add(digest, isDated ? Date.now() + datedMs : null);
  }

  private named(name: string): Webhook {
    const hook = this.byName.get(name);
    if (hook === undefined) throw new RequestProblem(404, 'usage', 'There is no such webhook');
    return hook;
  }
}

function parsed(text: string, read: (text: string) => JsonValue): JsonValue {
  try {
    const value: unknown = read(text);
    if (isJson(value)) return value;
  } catch {
    // Said below.
  }
  throw new TactusError('usage', 'The message is not JSON, or is nested too deep');
}

function missing(part: string, where: string): TactusError {
  return new TactusError('usage', `The message has no ${part} at ${where}`);
}

/**
 * The senders of events that configuration names.
 * @throws TactusError config_invalid; missing_key where a sender's secret isn't there
 */
export function webhooksOf(
  { webhooks }: ServerSettings,
  { env, served, seen }: { env: Environment; served: readonly string[]; seen?: SeenMessages | undefined },
): Webhooks {
  const [first = ''] = served;
  return new Webhooks(
    new Map(
      Object.entries(webhooks).map(([name, given]): [string, Webhook] => {
        const {
          secret: variable,
          scheme,
          signature,
          namespace = first,
          run,
          event,
          value,
          id = null,
        } = given;
        if (!served.includes(namespace) || (given.namespace === undefined && served.length > 1))
          throw new TactusError(
            'config_invalid',
            `server.webhooks.${name}.namespace must be one of those that are served`,
          );
        const secret = readSecret(env, variable);
        if (secret === null)
          throw new TactusError('missing_key', `${variable}, the secret of the webhook ${name}, isn't set`);
        const key = webhookKey(variable, secret, scheme === 'body');
        const how = scheme === 'standard' ? { scheme } : { scheme, header: signature.toLowerCase() };
        return [name, { scheme: how, key, namespace, run, event, value, id }];
      }),
    ),
    seen,
  );
}
