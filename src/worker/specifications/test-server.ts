import { Runtime } from '@temporalio/worker';
import { freePort } from '../server/embedded-server/free-port.js';
import { requireTemporalTestServer } from '../toolchain.js';

/** A Temporal server whose time is skipped while all runs wait. */
export interface TimeSkippingServer {
  /** `host:port`. */
  address: string;
  stop(): Promise<void>;
}

/**
 * Starts the server in a process that ends with this one; nothing is kept. It is the SDK's own way, which its package
 * for tests goes too: that package would bring a second SDK where a project has another version of it.
 * @throws TactusError server_unreachable where the server can't be had
 */
export async function startTimeSkippingServer(): Promise<TimeSkippingServer> {
  const path = await requireTemporalTestServer();
  const runtime = Runtime.instance();
  const port = await freePort();
  const server = await runtime.createEphemeralServer({
    type: 'time-skipping',
    exe: { type: 'existing-path', path },
    port,
    // Time passes from the beginning, and not only while somebody waits for a result.
    extraArgs: ['--enable-time-skipping'],
  });
  return { address: `127.0.0.1:${port}`, stop: () => runtime.shutdownEphemeralServer(server) };
}
