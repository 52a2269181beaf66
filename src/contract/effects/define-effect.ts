import type { CarriedAnswer } from '../runs/carried-answers.js';
import type { ErrorCode } from '../errors.js';
import type { Identity } from './identity.js';
import type { JsonValue } from '../json/json.js';
import type { Position } from '../checkpoints/position.js';

/**
 * All that can be said of a kind of effect without performing it. How Lua asks for it stands in `types/` (`---@effect`)
 * and `lua-bridge/primitives/`, how Temporal performs it in `workflows/effects/`.
 */
export interface EffectDefinition<E extends { kind: string }> {
  readonly kind: E['kind'];
  /** Version of this package that it came with: runs of older ones have none. Left out: 0.1.0. */
  readonly since?: string;
  /** What its checkpoints are called: the `type` of `log --json`. */
  readonly types: readonly string[];
  /** What makes it the same question on replay. */
  readonly identity: Identity<E>;
  /** What was asked, as the log shows it to people. */
  readonly shown: (effect: E) => JsonValue;
  /**
   * Its answer, made of what somebody else recorded that a procedure got; or why that is none. Left out: what the procedure got
   * is the answer.
   */
  readonly told?: (effect: E, recorded: CarriedAnswer) => { value: JsonValue } | { wrong: string };
  /** The kind of the wait in the status: `waits` of `status --json`. */
  readonly wait: string;
  /** The code that its failure has when it brings none of ours. */
  readonly failure: ErrorCode;
  /** A worker is at it until it has ended: another execution can't take over meanwhile. */
  readonly isRemote: boolean;
  /** Events that one adds to Temporal's history, with the workflow task that its end brings: at most, and undisturbed. */
  readonly historyEvents: number;
  /** How it is drawn in a procedure's graph. */
  readonly drawn: 'agent' | 'tool' | 'model' | 'human' | 'sleep' | 'file' | 'http' | 'procedure' | 'wait';
  /** What a host in memory answers, where a test says nothing else. */
  readonly example: (effect: E, position: Position) => JsonValue;
}

/** Keeps what the definition says literally, so that lists of kinds, types and waits derive from it. */
export function defineEffect<E extends { kind: string }>(): <const D extends EffectDefinition<E>>(
  definition: D,
) => D & EffectDefinition<E> {
  return (definition) => definition;
}

/** It is part of the identity, as it stands. */
export const always = { since: 1 } as const;
/** How it is asked, and no part of what is asked. */
export const never = { since: Infinity } as const;
/** How long an answer may take: version 1 compared it too. */
export const untilSecond = { since: 1, until: 2 } as const;
