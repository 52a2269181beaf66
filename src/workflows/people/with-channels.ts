import { TactusError } from '../../contract/errors.js';
import { changesOf } from '../../contract/engine.js';
import type { HumanAsk, HumanRequest } from '../../contract/people/human-request.js';
import { withDeliveries } from '../../contract/people/ledger.js';
import type { RunContext } from '../context.js';

/**
 * The request with those who are told of it, and the first messages to them. Nobody is told in a test.
 * @throws TactusError human_request_invalid where it names a channel that there isn't
 */
export function withChannels(
  { start, engine, now }: Pick<RunContext, 'start' | 'engine' | 'now'>,
  request: HumanRequest,
  { tell = {} }: HumanAsk,
): HumanRequest {
  if (!changesOf(engine)('channels')) return request;
  const { channels: byDefault = [], knownChannels } = start.settings ?? {};
  const { channels = byDefault, callbackUrl, remindMs, onUndelivered } = tell;
  const stranger = channels.find((name) => knownChannels?.includes(name) === false);
  if (stranger !== undefined) throw noSuchChannel(stranger, knownChannels ?? []);
  if (start.mock !== undefined || (channels.length === 0 && callbackUrl === undefined)) return request;
  const told: HumanRequest = {
    ...request,
    channels,
    ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
    ...(remindMs === undefined
      ? {}
      : { reminder: { every_ms: remindMs, at: new Date(now() + remindMs).toISOString(), number: 0 } }),
    ...(onUndelivered === undefined ? {} : { on_undelivered: onUndelivered }),
  };
  return withDeliveries(told, 'asked', 1, now());
}

function noSuchChannel(name: string, known: readonly string[]): TactusError {
  const there = known.length === 0 ? 'there is none' : `there are ${known.join(', ')}`;
  return new TactusError(
    'human_request_invalid',
    `No configuration has the channel ${JSON.stringify(name)}; ${there}`,
  );
}
