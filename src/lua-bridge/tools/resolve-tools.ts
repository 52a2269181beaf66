import { TactusError } from '../../contract/errors.js';
import { visibleName, type ListedTool, type ToolListing } from '../../contract/tools/outside-tool.js';
import { currentFrame, PerBranch, type Bridge, type LuaState, type Step } from '../kernel/index.js';
import { builtInTool, isBuiltIn } from './built-in-tools.js';
import { listedHttpTool } from './http-tool.js';
import {
  declaredTools,
  declaredToolsets,
  newTool,
  toolNameOf,
  toolOfName,
  toolsetNameOf,
  toolsetOfName,
  type NamedTool,
  type ToolDeclaration,
  type ToolReference,
  type ToolsetDeclaration,
} from './tool-declaration.js';
import { selectTools } from './tool-selection.js';
import { mocks } from '../mocks/mocks.js';
import { asJson, jsonAs, jsonSize, type JsonValue } from '../../contract/json/json.js';

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
      if (known.tool === each.tool) found.set(each.name, withWords(known, each));
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
    selectTools([{ name, tool, listed: listedOf(bridge, tool, listed) }], selection);
  if ('tool' in of) return one(toolNameOf(bridge, of.tool), of.tool);
  if ('toolset' in of) return selectTools(members(bridge, of.toolset, inside, listed), selection);
  const { named } = of;
  const tool = toolOfName(bridge, named);
  if (tool !== null) return one(named, tool);
  const toolset = toolsetOfName(bridge, named);
  if (toolset !== null) return selectTools(members(bridge, toolset, inside, listed), selection);
  const builtIn = builtInTool(bridge, named);
  if (builtIn !== null) return one(named, builtIn);
  const outside = namedOutside(bridge, named, listed);
  if (outside !== null) return selectTools(outside, selection);
  if (!mocks.of(bridge).standsFor(named)) throw unknownTool(named);
  const mocked = newTool(named);
  declaredTools.add(bridge, mocked, true);
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
  const words = {
    rules: toolset.approval === undefined ? [] : [toolset.approval],
    guidance: toolset.guidance === undefined ? [] : [toolset.guidance],
  };
  return toolset.members
    .flatMap((each) => expand(bridge, each, [...inside, toolset], listed))
    .map((each) => withWords(each, words));
}

/** All that is said of a tool counts, wherever it is listed. */
function withWords(
  named: NamedTool,
  { rules = [], guidance = [] }: Pick<NamedTool, 'rules' | 'guidance'>,
): NamedTool {
  if (rules.length === 0 && guidance.length === 0) return named;
  const all = {
    rules: [...(named.rules ?? []), ...rules],
    guidance: [...(named.guidance ?? []), ...guidance],
  };
  return {
    ...named,
    ...(all.rules.length === 0 ? {} : { rules: all.rules }),
    ...(all.guidance.length === 0 ? {} : { guidance: [...new Set(all.guidance)] }),
  };
}

export function unknownTool(name: string): TactusError {
  const elsewhere = name.includes('.') ? `; declare it first: Tool { use = ${JSON.stringify(name)} }` : '';
  return new TactusError('tool_failed', `unknown tool '${name}'${elsewhere}`);
}

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
function namedOutside(bridge: Bridge, source: string, { tools, problems }: Listed): NamedTool[] | null {
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
function listedTool(source: string, { tools, problems }: Listed): ListedTool {
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
  declaredTools.add(bridge, tool, true);
  return tool;
}

/** What was found under the names that a procedure has for tools outside of it: asked once, and the same from then on. */
class PinnedTools {
  constructor(private readonly found: Map<string, readonly ListedTool[]> = new Map()) {}

  branch(): this {
    return new PinnedTools(new Map(this.found)) as this;
  }

  of(source: string): readonly ListedTool[] | undefined {
    return this.found.get(source);
  }

  /** For a snapshot. */
  handOver(): JsonValue {
    return asJson([...this.found]);
  }

  goOnWith(taken: JsonValue): void {
    for (const [source, tools] of jsonAs<[string, readonly ListedTool[]][]>(taken)) this.keep(source, tools);
  }

  keep(source: string, tools: readonly ListedTool[]): void {
    this.found.set(source, tools);
  }
}

const pinned = new PerBranch(() => new PinnedTools(), {
  name: 'pinned tools',
  take: (tools) => tools.handOver(),
  put: (tools, taken) => tools.goOnWith(taken),
});

/** Tools by the names that they were asked for under, and why others aren't there. */
interface Listed {
  tools: ReadonlyMap<string, readonly ListedTool[]>;
  problems: ReadonlyMap<string, string>;
}

const nothingListed: Listed = { tools: new Map(), problems: new Map() };

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
  bridge.meter.keep(jsonSize(listing));
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
