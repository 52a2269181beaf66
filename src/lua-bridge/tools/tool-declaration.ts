import { asJson, isObject, jsonAs, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  PerRun,
  DeclaredList,
  functionAt,
  globalNameOf,
  jsonAt,
  readRetry,
  toJsonSchema,
  type Bridge,
  type Fields,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import type { HttpTool } from './http-tool.js';
import { TactusError } from '../../contract/errors.js';
import {
  effectClasses,
  isPythonTool,
  visibleName,
  type EffectClass,
  type ListedTool,
} from '../../contract/tools/outside-tool.js';
import { readToolRule, type ToolRule } from '../../contract/tools/tool-policy.js';
import { readDuration } from '../../contract/time/duration.js';
import type { RetryPolicy } from '../../contract/retries/retry-policy.js';
import type { ToolSpec } from '../../contract/models/model-call.js';

/** What was called of a tool. */
interface CallsOfTool {
  count: number;
  last: { args: JsonValue; result: JsonValue } | null;
}

/** A tool as an agent or the procedure calls it, and what was called of it in this run. */
export interface ToolDeclaration {
  /** As declared, or null until a global variable names it. */
  name: string | null;
  /** Gives its name, where it has that of something else. */
  naming: (() => string) | null;
  /** Name of the toolset or agent that it is declared in, which is written before its own. */
  owner: (() => string) | null;
  description: string;
  input: Fields;
  /** Registry reference of the Lua function; null: built in, and answered by `answer`, or outside, at `source`. */
  body: number | null;
  answer: ((args: JsonValue) => JsonValue) | null;
  /** Where it lives outside of the run: `host.charge_card`, `mcp.files.read_file`; null: it doesn't. */
  source: string | null;
  /** What the provider of a model runs itself, and how it is set up: `provider.openai.web_search`; null: it is none. */
  provided: { source: string; args: JsonObject } | null;
  /** What is sent when it is called, where it is a request; else null. */
  http: HttpTool | null;
  /** What it does in the run itself, where that is no Lua; else null. */
  perform: ((L: LuaState, args: JsonValue) => Generator<Step, JsonValue, unknown>) | null;
  /** It changes nothing outside of the run: a mocked turn that calls it runs it, and code of an agent doesn't stand in its place. */
  isInRun: boolean;
  options: ToolOptions;
  calls: CallsOfTool;
}

/** Tools that aren't declared any more, or not yet, have what a snapshot has of their calls once they are. */
class DeclaredTools extends DeclaredList<ToolDeclaration> {
  override add(bridge: Bridge, tool: ToolDeclaration, isImplied = false): void {
    super.add(bridge, tool, isImplied);
    const before = callsBefore.of(bridge);
    // Else nobody has to know its name yet.
    if (before.size > 0) Object.assign(tool.calls, before.get(toolNameOf(bridge, tool)));
  }
}

export const declaredTools = new DeclaredTools();

/** By the names of tools, as a snapshot has them. */
const callsBefore = new PerRun(() => new Map<string, CallsOfTool>(), {
  name: 'calls of tools',
  take: (_, bridge) =>
    asJson(
      declaredTools.of(bridge).map((tool) => [toolNameOf(bridge, tool), tool.calls] as [string, CallsOfTool]),
    ),
  put: (before, taken, bridge) => {
    const calls = jsonAs<[string, CallsOfTool][]>(taken);
    before.clear();
    for (const [name, each] of calls) before.set(name, each);
    declaredTools.of(bridge).forEach((tool, i) => {
      const name = toolNameOf(bridge, tool);
      // Several may have one name. Where the file was edited since, the name is all that there is.
      const same = calls[i]?.[0] === name ? calls[i][1] : before.get(name);
      Object.assign(tool.calls, same ?? { count: 0, last: null });
    });
  },
});

/** A tool with what is said of it; left out is what most tools don't have. */
export function newTool(
  name: string | null,
  parts: Partial<Omit<ToolDeclaration, 'name' | 'calls'>> = {},
): ToolDeclaration {
  return {
    name,
    naming: null,
    owner: null,
    description: '',
    input: {},
    body: null,
    answer: null,
    source: null,
    provided: null,
    http: null,
    perform: null,
    isInRun: false,
    options: {},
    ...parts,
    calls: { count: 0, last: null },
  };
}

export interface NamedTool {
  name: string;
  tool: ToolDeclaration;
  /** What a worker says of it, where it is outside of the run; else null. */
  listed: ListedTool | null;
  /** What pages show of its calls in place of the name: the node of a graph that it is. */
  title?: string;
  /** What the toolsets say of its calls in which it was found; left out: nothing. */
  rules?: readonly ToolRule[];
  /** What stands of the toolsets in which it was found in the system prompt of an agent that has it; left out: nothing. */
  guidance?: readonly string[];
}

/** Tools under one name. */
export interface ToolsetDeclaration {
  /** As declared, or null until a global variable names it. */
  name: string | null;
  members: ToolReference[];
  /** Whether a person must say yes before one of its tools is called; left out: as the tool says. */
  approval?: ToolRule;
  /** What stands in the system prompt of an agent that has one of its tools; left out: nothing. */
  guidance?: string;
}

export const declaredToolsets = new DeclaredList<ToolsetDeclaration>();

/** What a list of tools names: a tool, a toolset, or either by its name. */
export interface ToolReference {
  of: { tool: ToolDeclaration } | { toolset: ToolsetDeclaration } | { named: string };
  selection: Selection | null;
}

/** Which tools of a toolset are given, and under which names. */
export interface Selection {
  include: string[] | null;
  exclude: string[];
  prefix: string;
  rename: JsonObject;
}

/** What a file says of how a tool is called; what is left out, whoever has the tool says. */
interface ToolOptions {
  effect?: EffectClass;
  timeoutMs?: number;
  retry?: RetryPolicy;
  /** Registry reference of the function that finds out whether a call was done. */
  verify?: number;
  /** What becomes of a call of which nobody knows whether it was done; left out: a person is asked. */
  onUnknown?: 'ask' | 'error';
  /** Whether a person must say yes first. */
  approval?: ToolRule;
  /** A call that fails leaves state, session and files as they were. */
  isTransaction?: true;
}

/** @throws TactusError source_invalid naming the field */
export function readToolOptions(bridge: Bridge, L: LuaState, config: number, what: string): ToolOptions {
  const field = (name: string): JsonValue => jsonAt(L, config, name);
  const options: ToolOptions = {};
  const effect = field('effect') ?? (field('idempotent') === true ? 'idempotent' : null);
  if (effect !== null) options.effect = oneOf(effectClasses, effect, `${what}: effect`);
  const timeout = field('timeout');
  if (timeout !== null) options.timeoutMs = readDuration(timeout, `${what}: timeout`, 'source_invalid');
  const retry = readRetry(
    { retries: field('retries'), retry: field('retry') },
    what,
    'source_invalid',
    bridge.holds('retry-time'),
  );
  if (retry !== null) options.retry = retry;
  const verify = functionAt(L, config, 'verify');
  if (verify !== null) options.verify = verify;
  const unknown = field('on_unknown');
  if (unknown !== null) options.onUnknown = oneOf(['ask', 'error'] as const, unknown, `${what}: on_unknown`);
  const approval = readApproval(field('approval') ?? field('approve'), `${what}: approval`);
  if (approval !== null) options.approval = approval;
  const transaction = bridge.holds('transactions') ? (field('transaction') ?? false) : false;
  if (typeof transaction !== 'boolean')
    throw new TactusError('source_invalid', `${what}: transaction must be true or false`);
  if (transaction) options.isTransaction = true;
  return options;
}

/** `true`, `"deny"`, or a table as a rule of the policy has it. */
export function readApproval(given: JsonValue, what: string): ToolRule | null {
  if (given === null || given === false) return null;
  const fields: JsonObject = isObject(given) ? given : { action: given === true ? 'approve' : given };
  return readToolRule({ action: 'approve', ...fields, tool: '*' }, what, 'source_invalid');
}

function oneOf<T extends string>(words: readonly T[], given: JsonValue, what: string): T {
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  const allowed = words.map((word) => JSON.stringify(word)).join(', ');
  throw new TactusError('source_invalid', `${what} must be one of ${allowed}, got ${JSON.stringify(given)}`);
}

/** Who wrote a tool of the worker knows what a second call does: a file can be more careful, and no less. */
export function effectOf(ofFile: EffectClass | undefined, { source, effect }: ListedTool): EffectClass {
  if (ofFile === undefined) return effect;
  const isLess = effectClasses.indexOf(ofFile) < effectClasses.indexOf(effect);
  return isLess && (source.startsWith('host.') || isPythonTool(source)) ? effect : ofFile;
}

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

/** What the file says of a tool outside of the run goes before what the worker says. */
export function toolSpec({ name, tool, listed }: NamedTool): ToolSpec {
  const isTold = listed === null || Object.keys(tool.input).length > 0;
  return {
    name,
    description: tool.description || (listed?.description ?? ''),
    parameters: isTold ? toJsonSchema(tool.input) : listed.parameters,
  };
}
