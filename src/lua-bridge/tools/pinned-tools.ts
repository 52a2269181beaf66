import type { ListedTool, ToolListing } from '../../contract/tools/outside-tool.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import type { Bridge } from '../kernel/bridge.js';
import { PerBranch } from '../kernel/per-branch.js';
import { currentFrame } from '../scheduler/frame.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';

/** What was found under the names that a procedure has for tools outside of it: asked once, and the same from then on. */
class PinnedTools {
  constructor(private readonly found: Map<string, readonly ListedTool[]> = new Map()) {}

  branch(): this {
    return new PinnedTools(new Map(this.found)) as this;
  }

  of(source: string): readonly ListedTool[] | undefined {
    return this.found.get(source);
  }

  keep(source: string, tools: readonly ListedTool[]): void {
    this.found.set(source, tools);
  }
}

const pinned = new PerBranch(() => new PinnedTools());

/** Tools by the names that they were asked for under, and why others aren't there. */
export interface Listed {
  tools: ReadonlyMap<string, readonly ListedTool[]>;
  problems: ReadonlyMap<string, string>;
}

export const nothingListed: Listed = { tools: new Map(), problems: new Map() };

/**
 * What there is under these names: as it was found before in this branch of the run, else as a worker says now. What isn't
 * there is asked for anew each time: its server may be up by then.
 */
export function* listOutside(
  bridge: Bridge,
  L: LuaState,
  sources: readonly string[],
): Generator<Step, Listed, unknown> {
  const known = pinned.of(bridge, L);
  const tools = new Map<string, readonly ListedTool[]>();
  const problems = new Map<string, string>();
  const missing: string[] = [];
  for (const source of new Set(sources)) {
    const found = known.of(source);
    if (found === undefined) missing.push(source);
    else tools.set(source, found);
  }
  if (missing.length === 0) return { tools, problems };
  const effect = { kind: 'tool_list', sources: missing } as const;
  const name = missing.length === 1 ? `tools of ${missing[0]}` : `tools of ${missing.length} sources`;
  const listing = (yield { effect: { type: 'tool_list', name, effect } }) as ToolListing;
  bridge.meter.keep(jsonSize(listing as unknown as JsonValue));
  // Branches of a turn share what they keep, and replay in another order: what one of them found is its own.
  const isKept = !currentFrame(L).scope.isRecorded;
  for (const [source, found] of Object.entries(listing)) {
    if ('problem' in found) problems.set(source, found.problem);
    else {
      tools.set(source, found.tools);
      if (isKept) known.keep(source, found.tools);
    }
  }
  return { tools, problems };
}
