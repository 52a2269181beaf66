import { TactusError } from '../contract/errors.js';

/** The shortest key of a webhook, in bytes, as the Standard Webhooks convention has it. */
export const shortestWebhookKey = 24;
/** A key of fewer different bytes, `aaaa…` say, was typed by somebody and is soon found. */
const fewestDifferent = 8;
const prefix = 'whsec_';
const base64 = /^[\w+/-]+={0,2}$/;

/**
 * The key of a webhook's secret: the bytes of its text, or what stands in base64 after `whsec_`.
 * @param name the variable that has the secret, for errors
 * @param isText takes `whsec_` for a part of the text, too
 * @throws TactusError config_invalid where it is too weak
 */
export function webhookKey(name: string, secret: string, isText = false): Buffer {
  const encoded = !isText && secret.startsWith(prefix) ? secret.slice(prefix.length) : null;
  if (encoded !== null && encoded !== '' && !base64.test(encoded))
    throw weak(name, `isn't base64 after ${prefix}`);
  const key = encoded === null ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
  if (key.length < shortestWebhookKey)
    throw weak(name, `has ${key.length} bytes, and a key needs ${shortestWebhookKey}`);
  if (new Set(key).size < fewestDifferent) throw weak(name, 'repeats the same few characters');
  return key;
}

function weak(name: string, problem: string): TactusError {
  return new TactusError(
    'config_invalid',
    `The webhook secret ${name} ${problem}: whoever guesses it can forge messages. openssl rand -base64 32 makes a secret`,
  );
}
