import { afterAll, beforeAll } from 'vitest';
import type { TestServer } from './test-server.js';
import { startWorker, type TestWorker } from './test-worker.js';

/** A server with one worker, for all tests of a file; there while they run. */
export function serverWithWorker(
  startServer: () => Promise<TestServer>,
  options?: Parameters<typeof startWorker>[1],
): TestServer {
  let server: TestServer;
  let worker: TestWorker;
  beforeAll(async () => {
    server = await startServer();
    worker = await startWorker(server, options);
  });
  afterAll(async () => {
    await worker.stop();
    await server.stop();
  });
  return {
    get env() {
      return server.env;
    },
    get client() {
      return server.client;
    },
    get tactus() {
      return server.tactus;
    },
    get logged() {
      return server.logged;
    },
    stop: () => server.stop(),
  };
}
