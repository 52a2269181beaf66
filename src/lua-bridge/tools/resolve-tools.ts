import { TactusError } from '../../contract/errors.js';
import type { ToolRule } from '../../contract/tools/tool-policy.js';
import type { Bridge } from '../kernel/bridge.js';
import { builtInTool } from './built-in-tools.js';
import { listedHttpTool } from './http-tool.js';
import { toolNameOf, toolOfName, toolsetNameOf, toolsetOfName } from './named-tools.js';
import { listedTool, namedOutside, outsideSources } from './outside-tools.js';
import { listOutside, nothingListed, type Listed } from './pinned-tools.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';
import { declaredTools, newTool, type ToolDeclaration } from './tool-declaration.js';
import {
  declaredToolsets,
  select,
  type NamedTool,
  type ToolReference,
  type ToolsetDeclaration,
} from './toolset-declaration.js';
import { mocks } from '../mocks/mocks.js';

/**
 * The tools that a list stands for, with the names that a model sees. One that is named twice is given once.
 * @param listed what there is outside of the run, of all that `outsideSources` names
 * @throws TactusError tool_failed where there is no tool or toolset of a name, toolsets contain each other, or two tools
 *   of which one is outside have the same name
 */
export function resolveTools(
  bridge: Bridge,
  references: readonly ToolReference[],
  listed: Listed = nothingListed,
): NamedTool[] {
  const found = new Map<string, NamedTool>();
  for (const each of references.flatMap((reference) => expand(bridge, reference, [], listed))) {
    const known = found.get(each.name);
    if (known === undefined) found.set(each.name, each);
    else {
      refuseCollision(known, each);
      if (known.tool === each.tool) found.set(each.name, withRules(known, each.rules ?? []));
    }
  }
  return [...found.values()];
}

/** The same, with what a worker says of those outside of the run. */
export function* findTools(
  bridge: Bridge,
  L: LuaState,
  references: readonly ToolReference[],
): Generator<Step, NamedTool[], unknown> {
  const listed = yield* listOutside(bridge, L, outsideSources(bridge, references));
  return resolveTools(bridge, references, listed);
}

/** A server must not put a tool of its own in the place of another. */
function refuseCollision(one: NamedTool, other: NamedTool): void {
  if (one.tool === other.tool || (one.listed === null && other.listed === null)) return;
  const place = ({ tool }: NamedTool): string => tool.source ?? 'the procedure';
  throw new TactusError(
    'tool_failed',
    `two tools are called ${one.name}, one of ${place(one)} and one of ${place(other)}: give one a prefix`,
  );
}

/**
 * All tools that a file declares, and `done`: what an agent of the 0.10 dialect has where it names none. One that gives
 * structured output is done by that.
 */
export function allReferences(bridge: Bridge, hasOutput: boolean): ToolReference[] {
  const ofNobody = declaredTools
    .of(bridge)
    .filter(({ owner }) => owner === null)
    .map((tool) => ({ of: { tool }, selection: null }));
  const ofToolsets = declaredToolsets.of(bridge).map((toolset) => ({ of: { toolset }, selection: null }));
  const done = hasOutput ? [] : [{ of: { named: 'done' }, selection: null }];
  return [...ofNobody, ...ofToolsets, ...done];
}

function expand(
  bridge: Bridge,
  { of, selection }: ToolReference,
  inside: readonly object[],
  listed: Listed,
): NamedTool[] {
  const one = (name: string, tool: ToolDeclaration): NamedTool[] =>
    select([{ name, tool, listed: listedOf(bridge, tool, listed) }], selection);
  if ('tool' in of) return one(toolNameOf(bridge, of.tool), of.tool);
  if ('toolset' in of) return select(members(bridge, of.toolset, inside, listed), selection);
  const { named } = of;
  const tool = toolOfName(bridge, named);
  if (tool !== null) return one(named, tool);
  const toolset = toolsetOfName(bridge, named);
  if (toolset !== null) return select(members(bridge, toolset, inside, listed), selection);
  const builtIn = builtInTool(bridge, named);
  if (builtIn !== null) return one(named, builtIn);
  const outside = namedOutside(bridge, named, listed);
  if (outside !== null) return select(outside, selection);
  if (!mocks.of(bridge).standsFor(named)) throw unknownTool(named);
  const mocked = newTool(named);
  declaredTools.add(bridge, mocked);
  return one(named, mocked);
}

/** What is said of a tool outside; null of one that is in here, or mocked, and then nobody was asked for it. */
function listedOf(bridge: Bridge, tool: ToolDeclaration, listed: Listed): NamedTool['listed'] {
  const { source, http, description, input } = tool;
  if (http !== null)
    return mocks.of(bridge).all ? null : listedHttpTool(http, toolNameOf(bridge, tool), description, input);
  return source === null || mocks.of(bridge).all ? null : listedTool(source, listed);
}

function members(
  bridge: Bridge,
  toolset: ToolsetDeclaration,
  inside: readonly object[],
  listed: Listed,
): NamedTool[] {
  if (inside.includes(toolset))
    throw new TactusError('tool_failed', `the toolset '${toolsetNameOf(bridge, toolset)}' contains itself`);
  const rules = toolset.approval === undefined ? [] : [toolset.approval];
  return toolset.members
    .flatMap((each) => expand(bridge, each, [...inside, toolset], listed))
    .map((each) => withRules(each, rules));
}

/** All that is said of a tool counts, wherever it is listed. */
function withRules(named: NamedTool, rules: readonly ToolRule[]): NamedTool {
  return rules.length === 0 ? named : { ...named, rules: [...(named.rules ?? []), ...rules] };
}

export function unknownTool(name: string): TactusError {
  const elsewhere = name.includes('.') ? `; declare it first: Tool { use = ${JSON.stringify(name)} }` : '';
  return new TactusError('tool_failed', `unknown tool '${name}'${elsewhere}`);
}
