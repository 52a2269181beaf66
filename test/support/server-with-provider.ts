import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startProviderStandIn, type ProviderStandIn } from './provider-stand-in.js';
import { startDevServer, type TestServer } from './test-server.js';

/** What tests of agents need around them. */
export interface ServerWithProvider {
  readonly server: TestServer;
  readonly provider: ProviderStandIn;
  /** The environment of a worker whose models are the provider's. */
  readonly env: Record<string, string>;
}

/** A development server and a provider, for all tests of a file; there while they run. What was asked before a test is forgotten. */
export function serverWithProvider(): ServerWithProvider {
  let server: TestServer;
  let provider: ProviderStandIn;
  beforeAll(async () => {
    server = await startDevServer();
    provider = await startProviderStandIn();
  });
  beforeEach(() => {
    provider.requests.length = 0;
  });
  afterAll(async () => {
    await provider.close();
    await server.stop();
  });
  return {
    get server() {
      return server;
    },
    get provider() {
      return provider;
    },
    get env() {
      return { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` };
    },
  };
}
