import type { ActivityDeps } from '../activity-deps.js';
import { httpTools } from './http-tools.js';
import { mcpTools } from './mcp/mcp-tools.js';
import { ownTools } from './own-tools.js';
import type { ToolHost } from './tool-host.js';

/** Who has tools for a worker: it is asked in this order. They are closed when the worker has ended. */
export function toolHosts({
  tools = [],
  mcpServers = {},
  ...others
}: Pick<ActivityDeps, 'tools' | 'mcpServers' | 'env' | 'fetch'>): ToolHost[] {
  return [ownTools(tools), mcpTools(mcpServers, others.env), httpTools(others)];
}
