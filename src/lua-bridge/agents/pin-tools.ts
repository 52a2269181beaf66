import type { Bridge } from '../kernel/bridge.js';
import type { Step } from '../scheduler/native.js';
import { outsideSources } from '../tools/outside-tools.js';
import { listOutside } from '../tools/pinned-tools.js';
import { declaredTools } from '../tools/tool-declaration.js';
import { declaredToolsets, type ToolReference } from '../tools/toolset-declaration.js';
import type { LuaState } from '../vm/fengari.js';
import { declaredAgents } from './agent-declaration.js';
import { referencesOf } from './read-turn.js';

/**
 * Asks for all tools outside of the run that the file has declared, before anything else is done: the run has the same ones
 * from then on, in all of its branches, whatever becomes of their servers.
 */
export function* pinTools(bridge: Bridge, L: LuaState): Generator<Step, void, unknown> {
  const references: ToolReference[] = [
    ...declaredTools.of(bridge).map((tool) => ({ of: { tool }, selection: null })),
    ...declaredToolsets.of(bridge).map((toolset) => ({ of: { toolset }, selection: null })),
    ...declaredAgents.of(bridge).flatMap((agent) => referencesOf(bridge, agent)),
  ];
  yield* listOutside(bridge, L, outsideSources(bridge, references));
}
