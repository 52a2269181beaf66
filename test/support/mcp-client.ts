import {
  Client,
  type ClientOptions,
  type ElicitRequest,
  type ElicitResult,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { capabilities, letTasksPass } from '../../src/activities/tools/mcp/connection.js';
import type { CliFolder } from './cli-folder.js';

export interface McpClientOptions {
  /** What the user of the client does with a form; left out: the client has none. */
  user?: (form: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>;
  /** A revision that has no handshake; left out: the one before. */
  protocol?: string;
  /** Results of the type `task` reach the test. */
  tasks?: boolean;
}

export interface McpClient {
  client: Client;
  /** What the server said on stderr. */
  said(): string;
  /** What came over stdout that is no message of the protocol. */
  strayed: string[];
}

/** A client of the official package, with `tactus-temporal mcp` as its server over stdio. */
export async function mcpClient(
  { path, command }: CliFolder,
  args: readonly string[],
  { user, protocol, tasks = false }: McpClientOptions = {},
): Promise<McpClient> {
  const options: ClientOptions = {
    ...(user === undefined ? {} : { capabilities }),
    ...(protocol === undefined ? {} : { versionNegotiation: { mode: { pin: protocol } } }),
    ...(tasks ? { inputRequired: { autoFulfill: false } } : {}),
  };
  const client = new Client({ name: 'test', version: '1' }, options);
  if (user !== undefined) client.setRequestHandler('elicitation/create', ({ params }) => user(params));
  const transport = new StdioClientTransport({
    command: command.node,
    args: [command.bin, 'mcp', ...args],
    env: command.env as Record<string, string>,
    cwd: path,
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  const strayed: string[] = [];
  client.onerror = (error) => strayed.push(error.message);
  await client.connect(transport);
  if (tasks) letTasksPass(transport);
  return { client, said: () => said, strayed };
}
