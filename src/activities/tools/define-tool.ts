import type { FlexibleSchema } from 'ai';
import type { JsonValue } from '../../contract/json/json.js';
import type { EffectClass } from '../../contract/tools/outside-tool.js';
import type { RetryPolicy } from '../../contract/retries/retry-policy.js';

/** What a tool knows of its call. */
export interface ToolCallContext {
  /** The same at every attempt, and when `verify` is asked; no other call has it. Hand it on to whatever does the work. */
  idempotencyKey: string;
  /** Aborts when the run is cancelled, or the time of the attempt is up. */
  signal: AbortSignal;
  /** 1 for the first. */
  attempt: number;
  runId: string;
  /** Who said yes, where the policy wanted an approval; a claim, as all names of people are. */
  approvedBy: string | null;
}

/** What `verify` found: the call was done, and with what result; it wasn't; or that can't be told. */
export type Verification = { done: true; result: JsonValue } | { done: false } | null;

/** A tool of the worker: TypeScript that procedures and agents call by its name. */
export interface ToolDefinition<Input = unknown> {
  /** Letters, digits, `_` and `-`. */
  name: string;
  /** What a model reads of it. */
  description: string;
  /**
   * What it takes, an object: a zod schema, another Standard Schema that can be told as JSON Schema, or `jsonSchema(…)` of
   * the package `ai`. Whatever a model invents is checked by it first.
   */
  input: FlexibleSchema<Input>;
  /** What a second call does: see `EffectClass`. `once` is never called again blindly. */
  effect: EffectClass;
  /** Time of one attempt, in ms; 60,000 without it. */
  timeoutMs?: number;
  /** How often it is tried where it throws something other than `ToolFailed`; three times without it, and once where it is `once`. */
  retry?: RetryPolicy;
  /** Whether a person must say yes first, whatever the policy of the worker says besides. */
  needsApproval?: boolean | ((args: Input) => boolean | Promise<boolean>);
  /**
   * Does the work. What it gives is recorded as JSON.
   * @throws ToolFailed where it is certain that nothing was done; anything else leaves that open
   */
  execute(args: Input, context: ToolCallContext): unknown;
  /** Finds out whether a `once` call was done whose outcome nobody knows. */
  verify?(args: Input, context: ToolCallContext): Verification | Promise<Verification>;
}

/** A tool as a worker keeps it. */
export type AnyToolDefinition = ToolDefinition<never>;

const namePattern = /^[A-Za-z_][\w-]{0,63}$/;

/**
 * A tool for `activities.tools` of a worker, with its input's type.
 * @throws TypeError where its name can't be one
 * @example
 * const charge = defineTool({
 *   name: 'charge_card',
 *   description: 'Charges a card',
 *   input: z.object({ card: z.string(), cents: z.number().int().positive() }),
 *   effect: 'once',
 *   execute: ({ card, cents }, { idempotencyKey }) => payments.charge({ card, cents, idempotencyKey }),
 * });
 */
export function defineTool<Input>(definition: ToolDefinition<Input>): AnyToolDefinition {
  if (!namePattern.test(definition.name))
    throw new TypeError(`${JSON.stringify(definition.name)} can't be the name of a tool`);
  // eslint-disable-next-line no-restricted-syntax -- the worker checks the input against the tool's schema before it calls the tool
  return definition as unknown as AnyToolDefinition;
}
