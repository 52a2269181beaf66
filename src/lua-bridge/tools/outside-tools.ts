import { TactusError } from '../../contract/errors.js';
import type { ListedTool } from '../../contract/tools/outside-tool.js';
import type { Bridge } from '../kernel/bridge.js';
import { mocks } from '../mocks/mocks.js';
import { isBuiltIn } from './built-in-tools.js';
import type { Listed } from './pinned-tools.js';
import { toolOfName, toolsetOfName } from './named-tools.js';
import { declaredTools, newTool, type ToolDeclaration } from './tool-declaration.js';
import { visibleName } from '../../contract/tools/visible-name.js';
import type { NamedTool, ToolReference, ToolsetDeclaration } from './toolset-declaration.js';

/** The names under which these references have tools outside of the run. */
export function outsideSources(bridge: Bridge, references: readonly ToolReference[]): string[] {
  if (!bridge.holds('outside-tools') || mocks.of(bridge).all) return [];
  const sources = new Set<string>();
  const seen = new Set<ToolsetDeclaration>();
  const add = ({ of }: ToolReference): void => {
    if ('toolset' in of) {
      if (seen.has(of.toolset)) return;
      seen.add(of.toolset);
      of.toolset.members.forEach(add);
    } else if ('tool' in of) {
      if (of.tool.source !== null) sources.add(of.tool.source);
    } else addNamed(of.named);
  };
  const addNamed = (name: string): void => {
    const tool = toolOfName(bridge, name);
    if (tool !== null) return add({ of: { tool }, selection: null });
    const toolset = toolsetOfName(bridge, name);
    if (toolset !== null) return add({ of: { toolset }, selection: null });
    if (!isBuiltIn(name) && !mocks.of(bridge).standsFor(name)) sources.add(name);
  };
  references.forEach(add);
  return [...sources];
}

/**
 * What a worker has under a name, as tools of this run; null where it wasn't asked for.
 * @throws TactusError tool_failed where there is nothing
 */
export function namedOutside(
  bridge: Bridge,
  source: string,
  { tools, problems }: Listed,
): NamedTool[] | null {
  const problem = problems.get(source);
  if (problem !== undefined) throw new TactusError('tool_failed', `unknown tool '${source}': ${problem}`);
  const found = tools.get(source);
  if (found === undefined) return null;
  return found.map((listed) => ({
    name: visibleName(listed.source),
    tool: declared(bridge, listed),
    listed,
  }));
}

/**
 * What a worker says of one declared tool.
 * @throws TactusError tool_failed where there is nothing, or there are several
 */
export function listedTool(source: string, { tools, problems }: Listed): ListedTool {
  const problem = problems.get(source);
  if (problem !== undefined) throw new TactusError('tool_failed', `use = "${source}": ${problem}`);
  const [only, ...others] = tools.get(source) ?? [];
  if (only !== undefined && others.length === 0) return only;
  const problemOfSeveral =
    only === undefined
      ? 'has no tools'
      : `is a server of ${others.length + 1} tools: name one, or make it a Toolset`;
  throw new TactusError('tool_failed', `use = "${source}": ${source} ${problemOfSeveral}`);
}

function declared(bridge: Bridge, { source, description }: ListedTool): ToolDeclaration {
  const known = declaredTools.of(bridge).find((each) => each.source === source);
  if (known !== undefined) return known;
  const tool = newTool(visibleName(source), { source, description });
  declaredTools.add(bridge, tool);
  return tool;
}
