import { Sessions, type Access } from '../../src/server/access/authenticate.js';
import { roles, type Identity } from '../../src/server/access/identity.js';
import { FolderProcedures } from '../../src/server/procedures/folder-procedures.js';
import { startServer, type RunningServer, type ServerOptions } from '../../src/server/server.js';
import { Webhooks } from '../../src/server/events/webhooks/webhooks.js';
import type { TactusClient } from '../../src/client/tactus-client.js';
import type { JsonObject } from '../../src/contract/json/json.js';

/** What the API answered. */
export interface Answered {
  status: number;
  headers: Headers;
  body: JsonObject;
}

export interface ApiServer extends RunningServer {
  get(path: string, headers?: Record<string, string>): Promise<Answered>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
  troubles: string[];
}

/** Everybody may do everything, and says himself who he is. */
export function trusting(namespaces: readonly string[] = ['default']): Access {
  const mode = 'trusted-namespace';
  const anonymous: Identity = { name: null, mode, groups: [], roles, namespaces, until: Infinity };
  return { authenticators: [], anonymous, sessions: new Sessions() };
}

/** A namespace whose runs are asked themselves. */
export const unindexed = { isIndexed: false, onTrouble: (): void => undefined };

/** The HTTP API in this process, on a port of its own; `folder`: where its procedures are. */
export async function startApi(
  tactus: TactusClient,
  folder: string,
  options: Partial<ServerOptions> = {},
): Promise<ApiServer> {
  const troubles: string[] = [];
  const onTrouble = (problem: string): void => void troubles.push(problem);
  const alone = { files: null, signingKey: null, ...unindexed, onTrouble };
  const server = await startServer({
    ...{
      host: '127.0.0.1',
      port: 0,
      access: trusting(),
      streams: null,
      version: '0',
      hosts: [],
      origins: [],
    },
    namespaces: [{ name: tactus.client.options.namespace, tactus, ...alone }],
    procedures: new FolderProcedures({ folders: [folder], workingFolder: folder, env: {}, filesRoot: null }),
    ...{ perMinute: 100_000, mostStreams: 50, uploadBytes: 1_000_000, publicUrl: null, pages: null },
    webhooks: new Webhooks(new Map()),
    links: null,
    onTrouble,
    ...options,
  });
  const ask = async (path: string, init: RequestInit): Promise<Answered> => {
    const response = await fetch(`${server.url}/api/v1${path}`, init);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? (JSON.parse(text) as JsonObject) : { text },
    };
  };
  return {
    ...server,
    troubles,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body = {}, headers = {}) =>
      ask(path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  };
}
