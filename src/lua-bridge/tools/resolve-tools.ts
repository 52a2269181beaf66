import { TactusError } from '../../contract/errors.js';
import type { Bridge } from '../kernel/bridge.js';
import { builtInTool } from './built-in-tools.js';
import { globalNameOf } from '../vm/handle.js';
import { declaredTools, recordedOnly, type ToolDeclaration } from './tool-declaration.js';
import {
  declaredToolsets,
  select,
  type NamedTool,
  type ToolReference,
  type ToolsetDeclaration,
} from './toolset-declaration.js';
import { mocks } from '../mocks/mocks.js';

export function toolNameOf(bridge: Bridge, tool: ToolDeclaration): string {
  tool.name ??= globalNameOf(bridge.L, tool);
  const own = tool.name ?? 'tool';
  return tool.owner === null ? own : `${tool.owner()}_${own}`;
}

export function toolsetNameOf(bridge: Bridge, toolset: ToolsetDeclaration): string {
  toolset.name ??= globalNameOf(bridge.L, toolset);
  return toolset.name ?? 'toolset';
}

/** The declared tool of this name; one of a toolset or an agent is found by the name that it has there, too. */
export function toolOfName(bridge: Bridge, name: string): ToolDeclaration | null {
  const tools = declaredTools.of(bridge);
  return (
    tools.find((each) => toolNameOf(bridge, each) === name) ??
    tools.find((each) => each.owner !== null && each.name === name) ??
    null
  );
}

/**
 * The tools that a list stands for, with the names that a model sees. One that is named twice is given once.
 * @throws TactusError tool_failed where there is no tool or toolset of a name, or toolsets contain each other
 */
export function resolveTools(bridge: Bridge, references: readonly ToolReference[]): NamedTool[] {
  const found = new Map<string, NamedTool>();
  for (const each of references.flatMap((reference) => expand(bridge, reference, [])))
    if (!found.has(each.name)) found.set(each.name, each);
  return [...found.values()];
}

/**
 * All tools that a file declares, and `done`: what an agent of the 0.10 dialect has where it names none. One that gives
 * structured output is done by that.
 */
export function allTools(bridge: Bridge, hasOutput: boolean): NamedTool[] {
  const ofNobody = declaredTools
    .of(bridge)
    .filter(({ owner }) => owner === null)
    .map((tool) => ({ of: { tool }, selection: null }));
  const ofToolsets = declaredToolsets.of(bridge).map((toolset) => ({ of: { toolset }, selection: null }));
  const done = hasOutput ? [] : [{ of: { named: 'done' }, selection: null }];
  return resolveTools(bridge, [...ofNobody, ...ofToolsets, ...done]);
}

function expand(bridge: Bridge, { of, selection }: ToolReference, inside: readonly object[]): NamedTool[] {
  if ('tool' in of) return select([{ name: toolNameOf(bridge, of.tool), tool: of.tool }], selection);
  if ('toolset' in of) return select(members(bridge, of.toolset, inside), selection);
  const { named } = of;
  const tool = toolOfName(bridge, named);
  if (tool !== null) return select([{ name: named, tool }], selection);
  const toolset = declaredToolsets.of(bridge).find((each) => toolsetNameOf(bridge, each) === named);
  if (toolset !== undefined) return select(members(bridge, toolset, inside), selection);
  const builtIn = builtInTool(bridge, named);
  if (builtIn !== null) return select([{ name: named, tool: builtIn }], selection);
  if (!mocks.of(bridge).standsFor(named)) throw unknownTool(named);
  const mocked = recordedOnly(named);
  declaredTools.add(bridge, mocked);
  return select([{ name: named, tool: mocked }], selection);
}

function members(bridge: Bridge, toolset: ToolsetDeclaration, inside: readonly object[]): NamedTool[] {
  if (inside.includes(toolset))
    throw new TactusError('tool_failed', `the toolset '${toolsetNameOf(bridge, toolset)}' contains itself`);
  return toolset.members.flatMap((each) => expand(bridge, each, [...inside, toolset]));
}

export function unknownTool(name: string): TactusError {
  const elsewhere =
    name === 'plugin' || name.startsWith('mcp')
      ? "; tools of Python plugins and MCP servers can't be called yet"
      : '';
  return new TactusError('tool_failed', `unknown tool '${name}'${elsewhere}`);
}
