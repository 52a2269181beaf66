import { listFrom, toolHosts, type ActivityDeps } from '../../activities/index.js';
import type { ListedTool } from '../../contract/tools/outside-tool.js';
import { configuredTools, type ToolConfiguration } from './configured-tools.js';

/** What a worker with a configuration would have of tools. */
export interface ToolInventory {
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
  configuration: ToolConfiguration,
  { folder, env }: { folder: string; env: ActivityDeps['env'] },
): Promise<ToolInventory> {
  const {
    tools,
    mcpServers = {},
    outsideAgents = {},
    egressPolicy,
  } = await configuredTools(configuration, folder);
  const hosts = toolHosts({
    ...{ tools, mcpServers, outsideAgents, env },
    ...(egressPolicy === undefined ? {} : { egressPolicy }),
  });
  const sources = [
    ...tools.map(({ name }) => `host.${name}`),
    ...Object.keys(mcpServers).map((name) => `mcp.${name}`),
    ...Object.keys(outsideAgents).map((name) => `agent.${name}`),
  ];
  const found: ToolInventory = { tools: [], problems: [] };
  try {
    const signal = AbortSignal.timeout(patienceMs);
    for (const source of sources)
      try {
        found.tools.push(...((await listFrom(hosts, source, signal)) ?? []));
      } catch (error) {
        found.problems.push({ source, problem: error instanceof Error ? error.message : String(error) });
      }
    return found;
  } finally {
    await Promise.all(hosts.map((host) => host.close()));
  }
}
