import { Fault } from './fault.js';

/**
 * A `fetch` for calls that carry a key. It follows no redirect, since that would take the key to another host, and
 * refuses a web page where an API was expected (the answer of a proxy or a login page, with status 200).
 */
export function providerFetch(base: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await base(input, { ...init, redirect: 'manual' });
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && /^text\/html\b/i.test(type)) {
      await response.body?.cancel();
      throw new Fault('answered with a web page (text/html); is the base URL right?', {
        status: response.status,
        retryable: true,
      });
    }
    return response;
  };
}
