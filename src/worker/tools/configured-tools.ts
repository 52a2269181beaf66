import type { ActivityDeps } from '../../activities/index.js';
import { loadToolModules } from './load-tool-modules.js';

/** What configuration says of tools. */
export interface ToolConfiguration extends Pick<
  ActivityDeps,
  'mcpServers' | 'outsideAgents' | 'toolPolicy' | 'egressPolicy'
> {
  /** Paths of modules that export tools. */
  toolModules: readonly string[];
}

/**
 * The same as a worker is given it, with the tools of its modules.
 * @param folder where paths of modules begin
 * @throws TactusError config_invalid where a module can't be loaded
 */
export async function configuredTools(
  { toolModules, ...others }: ToolConfiguration,
  folder: string,
): Promise<Omit<ToolConfiguration, 'toolModules'> & Required<Pick<ActivityDeps, 'tools'>>> {
  return { ...others, tools: await loadToolModules(toolModules, folder) };
}
