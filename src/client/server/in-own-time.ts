import type { Client } from '@temporalio/client';

const ownMs = 10_000;

/**
 * A call to the server that has ten seconds of its own, whatever is left of the time of whoever asked: a list that takes many calls is made for
 * all who ask, and would else be begun again and again by those who have no time to wait for its end.
 */
export function inOwnTime<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return client.withDeadline(Date.now() + ownMs, call);
}
