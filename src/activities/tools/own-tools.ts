import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { ListedTool } from '../../contract/tools/outside-tool.js';
import type { AnyToolDefinition, ToolDefinition } from './define-tool.js';
import { ToolFailed } from './tool-failed.js';
import type { CallableTool, ToolHost } from './tool-host.js';

const prefix = 'host.';

/**
 * The tools that a worker was given, by `host.name` or their name alone.
 * @throws TypeError where two have the same name
 */
export function ownTools(definitions: readonly AnyToolDefinition[]): ToolHost {
  const byName = new Map<string, ToolDefinition>();
  for (const definition of definitions as unknown as readonly ToolDefinition[]) {
    if (byName.has(definition.name)) throw new TypeError(`the worker has two tools ${definition.name}`);
    byName.set(definition.name, definition);
  }
  const named = (source: string): ToolDefinition | undefined =>
    byName.get(source.startsWith(prefix) ? source.slice(prefix.length) : source);
  return {
    list: async (source) => {
      const definition = named(source);
      return definition === undefined ? null : [await listed(definition)];
    },
    find: ({ source }) => {
      const definition = named(source);
      return definition === undefined ? null : callable(definition);
    },
    close: () => Promise.resolve(),
  };
}

async function listed(definition: ToolDefinition): Promise<ListedTool> {
  const { name, description, effect, timeoutMs, retry } = definition;
  // The package is large: a worker without tools does without it.
  const { asSchema } = await import('ai');
  return {
    source: prefix + name,
    description,
    parameters: (await asSchema(definition.input).jsonSchema) as JsonObject,
    effect,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(retry === undefined ? {} : { retry }),
    ...('verify' in definition ? { canVerify: true } : {}),
  };
}

function callable(definition: ToolDefinition): CallableTool {
  const { name, needsApproval = false } = definition;
  return {
    names: [name, prefix + name],
    secrets: () => [],
    needsApproval: async (args) =>
      typeof needsApproval === 'boolean' ? needsApproval : needsApproval(await checked(definition, args)),
    call: async (args, context) => definition.execute(await checked(definition, args), context),
    verify: async (args, context) =>
      (await definition.verify?.(await checked(definition, args), context)) ?? null,
  };
}

/** @throws ToolFailed naming what is wrong with the arguments */
async function checked({ name, input }: ToolDefinition, args: JsonValue): Promise<unknown> {
  const { asSchema } = await import('ai');
  const result = await asSchema(input).validate?.(args);
  if (result === undefined) return args;
  if (result.success) return result.value;
  throw new ToolFailed(`${name}: the arguments don't fit: ${firstLine(result.error)}`);
}

function firstLine({ message, cause }: Error): string {
  const issues = (cause as { issues?: { path?: PropertyKey[]; message: string }[] } | undefined)?.issues;
  const [issue] = issues ?? [];
  if (issue === undefined) return message;
  const path = (issue.path ?? []).map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
