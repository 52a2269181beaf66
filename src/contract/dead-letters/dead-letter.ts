import type { Position } from '../checkpoints/checkpoint.js';
import { isErrorCode, type ErrorCode } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import type { RunStatus } from '../runs/run-view.js';

/** How a dead letter stands: `sent` and `requeued` are settled, and so is `dropped`. */
export const letterStates = ['dead', 'requeued', 'sent', 'dropped'] as const;
export type LetterState = (typeof letterStates)[number];

/** A call that gave up, as `dlq --json` shows it: it ended its run, or it is an intent of a graph that nobody sends any more. */
export interface DeadLetter {
  /** `<run>/<position>` of a call, `<run>/intent/<step>/<index>` of an intent. */
  id: string;
  kind: 'call' | 'intent';
  state: LetterState;
  run_id: string;
  procedure: string;
  run_status: RunStatus;
  /** Where the call stands in the log; null: the intent never had its turn. */
  position: Position | null;
  /** `type` of its log entry. */
  type: string;
  /** Name of the call, or type of the intent. */
  name: string;
  /** By which a receiver knows the intent; null of a call. */
  key: string | null;
  /** What the intent sends; null of a call. */
  payload: JsonValue;
  /** null: it was never tried. `code` null: the run recorded none. */
  error: { code: ErrorCode | null; message: string } | null;
  /** How often it was tried. */
  attempts: number;
  /** When it gave up, ISO 8601 in UTC; null: it was never tried. */
  failed_at: string | null;
  source: { file: string; line: number } | null;
  /** The run that goes on in place of the one that failed; null: there is none. */
  requeued_as: string | null;
  /** Who dropped it, when and why; null: nobody did. */
  dropped: { by: string | null; at: string; reason: string | null } | null;
}

/** What an id of a dead letter names; null: it is none. */
export type LetterPlace = { run: string } & (
  { kind: 'call'; position: Position } | { kind: 'intent'; key: string }
);

const ofIntent = /^(.+)\/intent\/((?:\d+(?:\.\d+)*\/)?\d+\/\d+)$/s;
const ofCall = /^(.+)\/(\d+(?:\.\d+)*)$/s;

/** Takes an id apart; null where it is no id of a dead letter. */
export function readLetterId(id: string): LetterPlace | null {
  const [, thread, rest] = ofIntent.exec(id) ?? [];
  if (thread !== undefined && rest !== undefined)
    return { kind: 'intent', run: thread, key: `${thread}/${rest}` };
  const [, run, position] = ofCall.exec(id) ?? [];
  return run === undefined || position === undefined ? null : { kind: 'call', run, position };
}

/** The id of the letter of an intent; null: it belongs to another run, from whose log this one goes on. */
export function intentLetterId(run: string, key: string): string | null {
  return key.startsWith(`${run}/`) ? `${run}/intent/${key.slice(run.length + 1)}` : null;
}

/**
 * Which failures are looked for. The names are those of WINK's `DLQPolicy`: what is excluded is never a dead letter, what is included is
 * one however seldom it was tried, all else after so many attempts.
 */
export interface DeadLetterPolicy {
  /**
   * Left out: 1, or no other errors than the included ones. A call that gave up isn't tried again here, so it is dead after its first
   * attempt if it had no more.
   */
  maxDeliveryCount?: number;
  /** Codes of errors. */
  includeErrors?: readonly string[];
  /** Codes of errors. They win over the included ones. */
  excludeErrors?: readonly string[];
}

/** Whether a failure is a dead letter by a policy. An intent that was never tried has no error. */
export function isDeadBy(
  { maxDeliveryCount, includeErrors = [], excludeErrors = [] }: DeadLetterPolicy,
  { error, attempts }: Pick<DeadLetter, 'error' | 'attempts'>,
): boolean {
  const code = error?.code ?? null;
  if (code !== null && excludeErrors.includes(code)) return false;
  if (code !== null && includeErrors.includes(code)) return true;
  if (maxDeliveryCount === undefined) return includeErrors.length === 0;
  return attempts >= maxDeliveryCount;
}

/** The first that is no code of an error; null: all are. */
export function unknownErrorCode(codes: readonly string[]): string | null {
  return codes.find((code) => !isErrorCode(code)) ?? null;
}

const counted = /\(attempt (\d+)/;

/** How often a call was tried that failed with this message: it says so from the second attempt on. */
export function attemptsIn(message: string): number {
  return Number(counted.exec(message)?.[1] ?? 1);
}
