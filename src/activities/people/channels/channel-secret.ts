import type { Channel, Reach } from '../../../contract/people/channels/channel.js';
import type { Environment } from '../../../contract/environment.js';
import { TactusError } from '../../../contract/errors.js';
import { readSecret } from '../../secrets/secrets.js';

/**
 * A secret of a channel.
 * @throws TactusError missing_key
 */
export function channelSecret(env: Environment, name: string): string {
  const secret = readSecret(env, name);
  if (secret !== null) return secret;
  throw new TactusError('missing_key', `It needs the secret ${name}: set ${name} (or ${name}_FILE)`, {
    variable: name,
  });
}

/** All secrets of a worker's channels, as far as they are there. */
export function channelSecrets({
  channels = {},
  webhookHosts = {},
  env,
}: Reach & { env: Environment }): string[] {
  const names = [...Object.values(channels).flatMap(namesOf), ...Object.values(webhookHosts)];
  return names.flatMap((name) => {
    try {
      return [readSecret(env, name) ?? ''];
    } catch {
      return []; // A file that can't be read gave no secret away.
    }
  });
}

function namesOf(channel: Channel): string[] {
  if ('webhook' in channel) return [channel.webhook.secret];
  if ('slack' in channel) return [channel.slack.url];
  if ('teams' in channel) return [channel.teams.url];
  return channel.email.password === undefined ? [] : [channel.email.password];
}
