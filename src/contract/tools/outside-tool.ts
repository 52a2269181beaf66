import type { HttpRequest } from '../http/http-request.js';
import type { OptionValue, RequestOrigin } from '../people/human-request.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { RetryPolicy } from '../retries/retry-policy.js';

/**
 * What a second call of a tool does: nothing at all (`pure`), nothing more than the first (`idempotent`), or the same
 * once again (`once`). What is `once` is called a second time only where it is known that the first did nothing.
 */
export type EffectClass = 'pure' | 'idempotent' | 'once';

export const effectClasses: readonly EffectClass[] = ['pure', 'idempotent', 'once'];

/** Whether it is a function of a worker in Python: `python.score`. */
export function isPythonTool(source: string): boolean {
  return source.startsWith('python.');
}

/** The names that configuration and holds know a tool by: as the host has it (`host.crm.find`), and as procedures call it (`crm.find`). */
export function toolNames(source: string): string[] {
  const dot = source.indexOf('.');
  return dot < 0 ? [source] : [source, source.slice(dot + 1)];
}

/** Digests of what a run was told of a tool: what it takes, and what a model reads of it. */
export interface ToolVersion {
  arguments: string;
  text: string;
}

/** A tool outside of the run, as whoever has it describes it. */
export interface ListedTool {
  /** Where it lives: `host.charge_card`, `python.score`, `mcp.files.read_file`. */
  source: string;
  description: string;
  /** JSON Schema of the arguments, which are an object. */
  parameters: JsonObject;
  effect: EffectClass;
  /** Time of one attempt, in ms; left out: `Limits.toolTimeoutMs`. */
  timeoutMs?: number;
  retry?: RetryPolicy;
  /** It can be asked whether a call was done. */
  canVerify?: true;
  /** Left out where it can't change unseen. */
  version?: ToolVersion;
}

/** What there is under each name that was asked for, or why there is nothing. */
export type ToolListing = Record<string, { tools: ListedTool[] } | { problem: string }>;

/** That a person has said yes to exactly one call, or to all of a tool where the policy remembers it. */
export interface ToolApproval {
  /** Id of the request. */
  request: string;
  /** Of the call that was shown: see `callDigest`. */
  digest: string;
  by: string | null;
  /** When it ends, in ms since 1970; null: never. */
  expiresAt: number | null;
  /** It was given to an earlier call, and the policy remembers it: for the tool, or for these arguments. */
  remembered?: 'tool' | 'arguments';
}

/** One call of a tool outside of the run, the question whether that call was done, or the wait for the task that it has become. */
export interface ToolInvocation {
  operation: 'call' | 'verify' | 'follow';
  source: string;
  args: JsonValue;
  effect: EffectClass;
  /** Position of the call, whose attempts share their idempotency key. */
  call: string;
  /** Name of the procedure, for the policy: `support/refund`. */
  procedure: string;
  /** Time of one attempt, in ms. */
  timeoutMs: number;
  retry?: RetryPolicy;
  approval?: ToolApproval;
  /** What is sent, where the tool is a request that the procedure declares. */
  request?: HttpRequest;
  /** As the run, or whoever approved, has seen it. */
  version?: ToolVersion;
  /** What people have answered, where the tool asked before it went on. */
  inputs?: ToolInputs;
  /** Id of the task that the call has become: what `follow` follows. */
  task?: string;
}

export interface ToolInputs {
  /** By the names that the tool gave its questions. */
  responses: JsonObject;
  /** What the tool wants back. */
  state: string | null;
}

/** What came of it. Only `once` calls are verified; what was refused was not begun. */
export type ToolAnswer =
  | { kind: 'done'; value: JsonValue }
  | { kind: 'not_done' }
  | { kind: 'unknown' }
  | ToolRefusal
  /**
   * The tool asks people, and then wants to be called again. Its questions, by name, are elicitations of MCP, or those of the agent
   * that `agent` names: each an `OutsideQuestion`.
   */
  | {
      kind: 'input_required';
      requests: JsonObject;
      state: string | null;
      agent?: Pick<RequestOrigin, 'protocol' | 'address' | 'task'>;
    }
  /** Whoever has the tool is at it, for long perhaps, and knows the call by this id. */
  | { kind: 'task'; task: string };

/** The worker's own policy wants an approval, or forbids the call; or the tool isn't the one that the run was told of. */
export interface ToolRefusal {
  kind: 'refused';
  action: 'approve' | 'deny';
  reason: string;
  rule: JsonObject | null;
  /** As it is now, where it has changed. */
  now?: { version: ToolVersion; description: string; parameters: JsonObject };
}

/** What an agent outside wants to know of a person, in its own words: none of them is a fact. */
export interface OutsideQuestion {
  kind: 'approval' | 'input' | 'select';
  message: string;
  /** What it shows beside; null: nothing. */
  shown: JsonValue;
  /** Of `select`. */
  options: OptionValue[];
  /** JSON Schema of an answer of kind `input`; null: any will do. */
  schema: JsonObject | null;
  /** From then on it wants no answer, in ms since 1970; null: it takes one at any time. */
  expiresAt: number | null;
}

/** What a person has said to it. */
export type OutsideAnswer =
  | { action: 'accept'; content: JsonValue; comment?: string }
  /** It is left without an answer. */
  | { action: 'decline'; comment?: string };

/** Providers take no longer names, and no other characters. */
const longestName = 64;

/** `files_read_file` of `mcp.files.read_file`, `charge` of `host.charge`: what a model calls a tool outside of the run. */
export function visibleName(source: string): string {
  const [, ...parts] = source.split('.');
  const name = parts.length === 0 ? source : parts.join('_');
  return name.replace(/[^\w-]/g, '_').slice(0, longestName);
}
