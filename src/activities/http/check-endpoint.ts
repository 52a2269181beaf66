import { Fault } from '../retries/fault.js';

/**
 * Refuses what `fetch` would refuse with a message that quotes the whole URL.
 * @throws Fault that starts with `what`
 */
export function checkEndpoint(endpoint: string, what: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return url;
  throw new Fault(`${what} must be an http or https URL without a user in it`, { retryable: false });
}
