import type { Client, ClientOptions, Tool, Transport } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '../../../contract/mcp-server-config.js';
import { capabilities, letTasksPass } from './task-extension.js';

/** A live connection to a server, and its tools as it has told them. */
export interface McpConnection {
  client: Client;
  /** As they are now: told anew after the server has said that they changed. */
  tools(signal: AbortSignal): Promise<readonly Tool[]>;
  close(): Promise<void>;
}

/** Lists are short of this; a server whose pages never end is given up. */
const mostPages = 64;
const connectMs = 30_000;

/**
 * Connects to a server, or starts it. Nothing is asked of the server that would start it twice: which revision of the
 * protocol it speaks is configured.
 * @param onClose is told when the connection is gone
 */
export async function connect(
  config: McpServerConfig,
  signal: AbortSignal,
  onClose: () => void,
): Promise<McpConnection> {
  // Loaded when the first server is needed.
  const { Client } = await import('@modelcontextprotocol/client');
  let known: Promise<readonly Tool[]> | null = null;
  const forget = (): void => {
    known = null;
  };
  const options: ClientOptions = {
    listMaxPages: mostPages,
    listChanged: { tools: { onChanged: forget, autoRefresh: false } },
    ...(config.protocol === undefined
      ? {}
      : {
          versionNegotiation: { mode: { pin: config.protocol } },
          capabilities,
          inputRequired: { autoFulfill: false },
        }),
  };
  const client = new Client({ name: 'tactus-temporal', version: '1' }, options);
  client.onclose = onClose;
  const transport = await transportOf(config);
  await client.connect(transport, { signal, timeout: connectMs });
  if (config.protocol !== undefined) letTasksPass(transport);
  return {
    client,
    tools: (asking) => {
      known ??= client.listTools(undefined, { signal: asking }).then(({ tools }) => tools);
      known.catch(forget);
      return known;
    },
    close: () => client.close(),
  };
}

async function transportOf(config: McpServerConfig): Promise<Transport> {
  if ('url' in config) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { url, headers = {} } = config;
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers, redirect: 'error' } });
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const { command, args = [], env = {}, cwd } = config;
  return new StdioClientTransport({
    command,
    args: [...args],
    env: { ...getDefaultEnvironment(), ...env },
    ...(cwd === undefined ? {} : { cwd }),
    // What a server has to say there is for whoever runs it by hand.
    stderr: 'ignore',
  });
}
