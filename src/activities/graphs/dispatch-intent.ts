import { ApplicationFailure } from '@temporalio/common';
import type { DispatchIntentInput } from '../../contract/activities.js';
import { TactusError } from '../../contract/errors.js';
import type { Dispatcher } from '../../contract/graphs/dispatcher.js';
import type { IntentOutcome } from '../../contract/graphs/intent-effect.js';
import { getOwn } from '../../contract/json/json.js';
import { shortBounds } from '../../egress/bounded-response.js';
import { egressFetch } from '../../egress/egress-fetch.js';
import type { ActivityDeps } from '../activity-deps.js';
import { checkEndpoint, idempotencyHeader, namedSecrets, requestHeaders } from '../http/http-exchange.js';
import { postMessage } from '../people/channels/post-message.js';
import { atEdge, Fault, ownAttempt } from '../retries/failures.js';
import { withHeartbeat } from '../retries/heartbeat.js';
import { secretsOf } from '../secrets/secrets.js';

/**
 * Sends an intent of a graph by the worker's dispatcher of its type, by the same key at every attempt. That it can't be sent for
 * good is an outcome, too.
 * @throws ApplicationFailure where another attempt may go better; missing_key, which another worker may have
 */
export async function dispatchIntent(
  deps: ActivityDeps,
  { idempotencyKey: key, intent, tries }: DispatchIntentInput,
): Promise<IntentOutcome> {
  const { type } = intent;
  const headers = getOwn(deps.outbox ?? {}, type)?.headers ?? {};
  const secrets = (): string[] => [...secretsOf(deps.env), ...namedSecrets(headers, deps.env)];
  const edge = { code: 'delivery_failed' as const, subject: `Intent ${type}`, secrets, tries };
  try {
    return await atEdge(edge, () =>
      withHeartbeat(async () => {
        await post(deps, dispatcherOf(deps, type), key, JSON.stringify(intent));
        return { key, status: 'sent', attempts: ownAttempt() };
      }),
    );
  } catch (error) {
    const isOver = error instanceof ApplicationFailure && error.nonRetryable === true;
    if (!isOver || error.type === 'missing_key') throw error;
    return { key, status: 'failed', attempts: ownAttempt(), message: error.message };
  }
}

function dispatcherOf({ outbox = {} }: ActivityDeps, type: string): Dispatcher {
  const dispatcher = getOwn<Dispatcher>(outbox, type);
  if (dispatcher !== undefined) return dispatcher;
  throw new TactusError(
    'delivery_failed',
    `Intent ${type}: the worker has no receiver for it. Set outbox: {${type}: {url: https://…}} in .tactus/config.yml where the worker is started`,
  );
}

async function post(
  deps: ActivityDeps,
  { url, headers = {} }: Dispatcher,
  key: string,
  body: string,
): Promise<void> {
  const sent = requestHeaders(headers, deps.env);
  const named = { ...Object.fromEntries(sent), ...idempotencyHeader(key) };
  const how = await postMessage(egressFetch(deps, shortBounds), checkEndpoint(url, 'its url'), named, body);
  if (how === 'gone') throw new Fault('answered 410', { status: 410, retryable: false });
}
