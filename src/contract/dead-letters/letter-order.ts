import type { Intent } from '../graphs/super-step.js';
import type { IntentOutcome } from '../graphs/intent-effect.js';
import { sha256Hex } from '../effects/digest.js';
import { isObject, jsonAs, type JsonValue } from '../json/json.js';
import type { Limits } from '../runs/limits.js';
import type { RunSettings } from '../runs/run-settings.js';

/** What is done to a dead letter, as the one argument of the workflow that does it. */
export interface LetterOrder {
  letter: string;
  /** The run that it is of, and the first of its executions: the order stands for as long as the server keeps that. */
  run: string;
  execution: string;
  /** Left out: it is dropped, and nothing is sent. */
  send?: { key: string; intent: Intent; limits: Limits; settings: RunSettings };
  /** What became of it, of an order that goes on in another execution. */
  outcome?: IntentOutcome;
}

/** The order in the memo of its workflow: it can be read without a worker. */
export interface LetterRecord {
  letter: string;
  execution: string;
  action: 'drop' | 'requeue';
  by: string | null;
  reason: string | null;
  /** ISO 8601 in UTC. */
  at: string;
  /** How often orders before this one have tried to send it. */
  tried: number;
  /** null: it is dropped, or on its way. */
  outcome: IntentOutcome | null;
}

/** Key of the memo. */
export const letterMemo = 'tactus_dead_letter';

/** The id of the workflow for a letter: an id of a run may be as long as the server takes. */
export function letterWorkflowId(letter: string): string {
  return `tactus-dead-letter/${sha256Hex(letter).slice(0, 32)}`;
}

/** Reads the memo of such a workflow; null where it has none. */
export function readLetterRecord(memo: Record<string, unknown> | undefined): LetterRecord | null {
  const record = memo?.[letterMemo] as JsonValue | undefined;
  return isObject(record ?? null) ? jsonAs<LetterRecord>(record ?? null) : null;
}
