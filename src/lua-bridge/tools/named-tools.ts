import type { Bridge } from '../kernel/bridge.js';
import { globalNameOf } from '../vm/handle.js';
import { declaredTools, type ToolDeclaration } from './tool-declaration.js';
import { declaredToolsets, type ToolsetDeclaration } from './toolset-declaration.js';
import { visibleName } from '../../contract/tools/visible-name.js';

export function toolNameOf(bridge: Bridge, tool: ToolDeclaration): string {
  tool.name ??= tool.naming?.() ?? globalNameOf(bridge.L, tool);
  const place = tool.source ?? tool.provided?.source ?? null;
  const own = tool.name ?? (place === null ? 'tool' : visibleName(place));
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

export function toolsetOfName(bridge: Bridge, name: string): ToolsetDeclaration | null {
  return declaredToolsets.of(bridge).find((each) => toolsetNameOf(bridge, each) === name) ?? null;
}
