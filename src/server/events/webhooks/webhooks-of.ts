import type { Environment } from '../../../contract/environment.js';
import { TactusError } from '../../../contract/errors.js';
import { webhookKey } from '../../../authority/webhook-key.js';
import { readSecret } from '../../../worker/secrets/read-secret.js';
import type { ServerSettings } from '../../settings.schema.js';
import type { SeenMessages } from './seen-messages.js';
import { Webhooks, type Webhook } from './webhooks.js';

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
