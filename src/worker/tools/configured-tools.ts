import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type ActivityDeps,
  type AnyToolDefinition,
  listFrom,
  sourcesOfGraphs,
  toolHosts,
} from '../../activities/index.js';
import { TactusError } from '../../contract/errors.js';
import type { AnyGraph } from '../../contract/graphs/graph-definition.js';
import type { ListedTool } from '../../contract/tools/outside-tool.js';

/** What configuration says of tools. */
export interface ToolConfiguration extends Pick<
  ActivityDeps,
  'mcpServers' | 'outsideAgents' | 'toolPolicy' | 'egressPolicy'
> {
  /** Paths of modules that export tools and graphs. */
  toolModules: readonly string[];
}

/**
 * The same as a worker is given it, with the tools and graphs of its modules.
 * @param folder where paths of modules begin
 * @throws TactusError config_invalid where a module can't be loaded
 */
export async function configuredTools(
  { toolModules, ...others }: ToolConfiguration,
  folder: string,
): Promise<Omit<ToolConfiguration, 'toolModules'> & ToolsOfModules> {
  return { ...others, ...(await loadToolModules(toolModules, folder)) };
}

type ToolsOfModules = Required<Pick<ActivityDeps, 'tools' | 'graphs'>>;

/**
 * The tools and graphs that modules export, under whatever names, one by one or in lists.
 * @param modules paths from `folder`
 * @throws TactusError config_invalid where a module can't be loaded, or exports neither
 */
async function loadToolModules(modules: readonly string[], folder: string): Promise<ToolsOfModules> {
  const tools: AnyToolDefinition[] = [];
  const graphs: AnyGraph[] = [];
  for (const path of modules) {
    const exported = await importModule(path, folder);
    const all = Object.values(exported).flat();
    const found = all.filter(isTool);
    const foundGraphs = all.filter(isGraph);
    if (found.length + foundGraphs.length === 0)
      throw new TactusError(
        'config_invalid',
        `tool_modules: ${path} exports nothing that defineTool or defineGraph has made`,
      );
    for (const { name, input } of found)
      if (isPlain(input))
        throw new TactusError(
          'config_invalid',
          `tool_modules: ${path}: input of ${name} is a plain object. It must be a schema: of zod, another Standard Schema, or jsonSchema(…) of the package "ai"`,
        );
    tools.push(...found);
    graphs.push(...foundGraphs);
  }
  // A module may export one under two names.
  return { tools: [...new Set(tools)], graphs: [...new Set(graphs)] };
}

async function importModule(path: string, folder: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(resolve(folder, path)).href)) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError('config_invalid', `tool_modules: ${path} can't be loaded: ${reason}`);
  }
}

function isTool(value: unknown): value is AnyToolDefinition {
  const { name, input, effect, execute } = (value ?? {}) as Partial<Record<string, unknown>>;
  return (
    typeof name === 'string' && input !== undefined && effect !== undefined && typeof execute === 'function'
  );
}

function isGraph(value: unknown): value is AnyGraph {
  const { name, channels, nodes } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof name === 'string' && typeof channels === 'object' && typeof nodes === 'object';
}

/** As JSON Schema is written down: nothing can be checked by it alone. */
function isPlain(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  return !('~standard' in input) && Object.getOwnPropertySymbols(input).length === 0;
}

/** What a worker with a configuration would have of tools. */
interface ToolInventory {
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
    graphs,
    mcpServers = {},
    outsideAgents = {},
    egressPolicy,
  } = await configuredTools(configuration, folder);
  const hosts = toolHosts({
    ...{ tools, graphs, mcpServers, outsideAgents, env },
    ...(egressPolicy === undefined ? {} : { egressPolicy }),
  });
  const sources = [
    ...tools.map(({ name }) => `host.${name}`),
    ...sourcesOfGraphs(graphs),
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
