import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ActivityDeps, AnyToolDefinition } from '../../activities/index.js';
import { TactusError } from '../../contract/errors.js';

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

/**
 * The tools that modules export, under whatever names, one by one or in lists.
 * @param modules paths from `folder`
 * @throws TactusError config_invalid where a module can't be loaded, or exports no tool
 */
async function loadToolModules(modules: readonly string[], folder: string): Promise<AnyToolDefinition[]> {
  const tools: AnyToolDefinition[] = [];
  for (const path of modules) {
    const exported = await importModule(path, folder);
    const found = Object.values(exported).flat().filter(isTool);
    if (found.length === 0)
      throw new TactusError(
        'config_invalid',
        `tool_modules: ${path} exports nothing that defineTool has made`,
      );
    for (const { name, input } of found)
      if (isPlain(input))
        throw new TactusError(
          'config_invalid',
          `tool_modules: ${path}: input of ${name} is a plain object. It must be a schema: of zod, another Standard Schema, or jsonSchema(…) of the package "ai"`,
        );
    tools.push(...found);
  }
  // A module may export one tool under two names.
  return [...new Set(tools)];
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

/** As JSON Schema is written down: nothing can be checked by it alone. */
function isPlain(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  return !('~standard' in input) && Object.getOwnPropertySymbols(input).length === 0;
}
