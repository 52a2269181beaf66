import { afterAll, beforeAll } from 'vitest';
import { serverWithProvider, type ServerWithProvider } from './server-with-provider.js';
import { startWorker, type TestWorker, type TestWorkerOptions } from './test-worker.js';

/** A server and a provider, with one worker whose models are the provider's, for all tests of a file. */
export function providerWithWorker(options: Omit<TestWorkerOptions, 'activities'> = {}): ServerWithProvider {
  const around = serverWithProvider();
  let worker: TestWorker;
  beforeAll(async () => {
    worker = await startWorker(around.server, { ...options, activities: { env: around.env } });
  });
  afterAll(() => worker.stop());
  return around;
}
