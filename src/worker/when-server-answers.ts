import { setTimeout as delay } from 'node:timers/promises';
import { TransportError } from '@temporalio/worker';
import { grpcErrorOf } from '../client/index.js';
import { TactusError } from '../contract/errors.js';

/** gRPC's UNAVAILABLE. */
const unavailable = 14;
const againMs = 500;
/** An embedded server that ended is up again in some seconds; on a busy machine it takes longer. */
const patienceMs = 60_000;

/**
 * Begins something on a server, and waits for the server while it refuses connections: it may be starting anew.
 * @param tell is called once, where it has to wait
 * @param waitMs how long it waits, by default a minute
 * @throws TactusError server_unreachable when the server has not answered by then; whatever else `begin` throws, at once
 */
export async function whenServerAnswers<T>(
  begin: () => Promise<T>,
  { address, tell, waitMs = patienceMs }: { address: string; tell: (text: string) => void; waitMs?: number },
): Promise<T> {
  const end = Date.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await begin();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      const seconds = Math.round(waitMs / 1_000);
      if (Date.now() > end)
        throw new TactusError(
          'server_unreachable',
          `The Temporal server at ${address} has refused connections for ${seconds} s (${reasonOf(error)}). Start it, and start the worker again`,
          { address },
        );
      if (isFirst)
        tell(
          `The Temporal server at ${address} refuses connections (${reasonOf(error)}). The worker waits for it, for up to ${seconds} s.`,
        );
    }
    await delay(againMs);
  }
}

function isUnreachable(error: unknown): error is Error {
  return error instanceof TransportError || grpcErrorOf(error)?.code === unavailable;
}

/** What the operating system said, without the Rust around it. */
function reasonOf(error: Error): string {
  return /message: "([^"]+)"/.exec(error.message)?.[1] ?? error.message;
}
