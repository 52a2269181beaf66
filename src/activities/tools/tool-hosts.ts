import type { Egress } from '../../egress/egress-fetch.js';
import type { ActivityDeps } from '../activity-deps.js';
import { agentTools } from './agents/agent-tools.js';
import { httpTools } from './http-tools.js';
import { mcpTools } from './mcp/mcp-tools.js';
import { ownTools } from './own-tools.js';
import type { ListedTool } from '../../contract/tools/outside-tool.js';
import type { ToolHost } from './tool-host.js';

/** Who has tools for a worker: it is asked in this order. They are closed when the worker has ended. */
export function toolHosts({
  tools = [],
  mcpServers = {},
  outsideAgents = {},
  ...others
}: Pick<ActivityDeps, 'tools' | 'mcpServers' | 'outsideAgents' | 'env'> & Egress): ToolHost[] {
  return [
    ownTools(tools),
    mcpTools(mcpServers, others),
    agentTools(outsideAgents, others),
    httpTools(others),
  ];
}

/** The tools that a name stands for, of the first who has some; null where nobody has. @throws as `ToolHost.list` does */
export async function listFrom(
  hosts: readonly ToolHost[],
  source: string,
  signal: AbortSignal,
): Promise<ListedTool[] | null> {
  for (const host of hosts) {
    const tools = await host.list(source, signal);
    if (tools !== null) return tools;
  }
  return null;
}
