import { toolHosts, type ActivityDeps, type ToolHost } from '../activities/index.js';
import type { ListedTool } from '../contract/outside-tool.js';
import { loadToolModules } from './load-tool-modules.js';
import type { WorkerOnOptions } from './worker-on.js';

/** What a worker with a configuration would have of tools. */
export interface WorkerTools {
  tools: ListedTool[];
  /** Servers whose tools can't be had, with the reason. */
  problems: { source: string; problem: string }[];
}

/** Long enough for a server that is installed when it is first started. */
const patienceMs = 60_000;

/**
 * Asks all servers of a configuration for their tools, as a worker does: it starts them, and ends them.
 * @param folder where paths of modules begin
 * @throws TactusError config_invalid where a module can't be loaded
 */
export async function listWorkerTools(
  { toolModules, mcpServers = {} }: WorkerOnOptions['tools'],
  { folder, env }: { folder: string; env: ActivityDeps['env'] },
): Promise<WorkerTools> {
  const tools = await loadToolModules(toolModules, folder);
  const hosts = toolHosts({ tools, mcpServers, env });
  const sources = [
    ...tools.map(({ name }) => `host.${name}`),
    ...Object.keys(mcpServers).map((name) => `mcp.${name}`),
  ];
  const found: WorkerTools = { tools: [], problems: [] };
  try {
    const signal = AbortSignal.timeout(patienceMs);
    for (const source of sources)
      try {
        found.tools.push(...(await listOf(hosts, source, signal)));
      } catch (error) {
        found.problems.push({ source, problem: error instanceof Error ? error.message : String(error) });
      }
    return found;
  } finally {
    await Promise.all(hosts.map((host) => host.close()));
  }
}

async function listOf(
  hosts: readonly ToolHost[],
  source: string,
  signal: AbortSignal,
): Promise<ListedTool[]> {
  for (const host of hosts) {
    const tools = await host.list(source, signal);
    if (tools !== null) return tools;
  }
  return [];
}
