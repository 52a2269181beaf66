import type { Checkpoint, Position } from '../checkpoints/checkpoint.js';
import type { IntentOutcome } from './intent-effect.js';
import type { Intent, SuperStepResult } from './super-step.js';
import { defined, isObject, jsonAs, type JsonValue } from '../json/json.js';
import type { LogEntryView } from '../runs/run-view.js';

/** An intent, and what became of it. */
export interface IntentView {
  key: string;
  type: string;
  payload: JsonValue;
  status: 'waiting' | 'sent' | 'failed';
  attempts: number;
  /** Why it could not be sent; left out where it was, or waits. */
  error?: string;
}

/** The same with what its dead letter has of it. */
export interface RecordedIntent {
  view: IntentView;
  intent: Intent;
  /** Of the attempt to send it; null: it never had its turn. */
  position: Position | null;
  /** When that ended, ISO 8601 in UTC. */
  at: string | null;
}

/** What is read of an entry of the log, whoever gives it. */
export type ReadEntry = Pick<LogEntryView, 'type' | 'position' | 'input' | 'result' | 'error' | 'timestamp'>;

/** A checkpoint as the log shows it, with what it doesn't show to everybody. */
export function readEntry({ type, position, input, outcome, at }: Checkpoint): ReadEntry {
  const [result, error] = outcome.ok ? [outcome.value, null] : [null, outcome.message];
  return { type, position, input, result, error, timestamp: new Date(at).toISOString() };
}

type Sending = Pick<IntentView, 'status' | 'attempts' | 'error'> & Pick<RecordedIntent, 'position' | 'at'>;

/** The intents of a run's super-steps, in the order in which they are sent. */
export function recordedIntents(entries: readonly ReadEntry[]): RecordedIntent[] {
  const outcomes = new Map(entries.flatMap((entry) => sendingOf(entry) ?? []));
  return entries.flatMap(({ type: entryType, result }) => {
    if (entryType !== 'super_step' || !isObject(result)) return [];
    return jsonAs<SuperStepResult>(result['result'] ?? null).intents.map(({ key, intent }) => {
      const { type, payload = null } = intent;
      const { position = null, at = null, ...sending } = outcomes.get(key) ?? waiting;
      return { view: { key, type, payload, ...sending }, intent, position, at };
    });
  });
}

const waiting: Omit<Sending, 'position' | 'at'> & Partial<Sending> = { status: 'waiting', attempts: 0 };

/** What became of an intent, by its key. */
function sendingOf({
  type,
  position,
  input,
  result,
  error,
  timestamp: at,
}: ReadEntry): [string, Sending][] | null {
  if (type !== 'intent') return null;
  const asked = isObject(input) && typeof input['key'] === 'string' ? input['key'] : null;
  if (!isObject(result)) {
    const failed = { status: 'failed', attempts: 1, ...defined({ error: error ?? undefined }) } as const;
    return asked === null ? null : [[asked, { ...failed, position, at }]];
  }
  const outcome = jsonAs<IntentOutcome>(result);
  const { key, status, attempts } = outcome;
  const failed = status === 'failed' ? { error: outcome.message } : {};
  return [[key, { status, attempts, ...failed, position, at }]];
}
