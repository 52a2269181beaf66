import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { TactusError, type ErrorCode } from '../../contract/errors.js';
import { defined, isObject, utf8Length, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { attemptText, type Tries } from '../../contract/retries/retry-policy.js';
import { megabytes } from '../../contract/text/texts.js';
import { createRedactor, type Redactor, wellFormed } from '../secrets/secrets.js';
import { defaultLimits } from '../../contract/runs/limits.js';

interface FaultOptions {
  /** Whether another attempt may go better. */
  retryable: boolean;
  /** HTTP status, where there was one. */
  status?: number;
  /** When to try again, in ms from now, as the other side asked for. */
  retryAfterMs?: number | null;
  /** An answer came, and was paid for; it can't be used. */
  isAnswer?: boolean;
  cause?: unknown;
}

/** Something outside went wrong, already sorted. Its message may still hold secrets: `toFailure` removes them. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly retryable: boolean;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly isAnswer: boolean;

  constructor(message: string, options: FaultOptions) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.retryable = options.retryable;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.isAnswer = options.isAnswer ?? false;
  }
}

/** Providers answer with whole pages; a person needs the first lines. In characters. */
const longestMessage = 600;
const longestCause = 200;
const deepestCause = 3;

export interface Edge {
  /** The code of what isn't a `TactusError` already. */
  code: ErrorCode;
  /** What the message starts with: the model, say. */
  subject: string;
  /** Values that must not be in a failure; asked for only when there is one. */
  secrets: () => readonly string[];
  /** Left out: Temporal alone knows how often it is tried. */
  tries?: Tries | undefined;
  /** What else whoever hears of the failure is to know. */
  details?: () => JsonObject;
}

/**
 * The edge of an activity: whatever the work throws becomes one `ApplicationFailure` whose type is an error code of
 * ours and whose message, causes and details hold no secret. Cancellation passes as Temporal knows it.
 */
export async function atEdge<T>(edge: Edge, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { cancellationSignal } = Context.current();
    if (cancellationSignal.aborted) throw cancellationSignal.reason;
    throw toFailure(error, edge);
  }
}

/** Sorts an error and removes the secrets from it. */
export function toFailure(error: unknown, edge: Edge): ApplicationFailure {
  const redactor = createRedactor(edge.secrets());
  if (error instanceof TactusError) {
    const details = { ...edge.details?.(), ...error.details };
    return failure(error.code, error.message, redactor, { nonRetryable: true, details });
  }
  const fault = error instanceof Fault ? error : unexpected(error);
  const { tries } = edge;
  const { retryAfterMs } = fault;
  const isAgain = tries === undefined ? fault.retryable : isTriedAgain(fault, tries);
  const attempts = tries === undefined ? null : attemptsOf(fault, tries);
  const details: JsonObject = {
    ...edge.details?.(),
    ...(fault.status === null ? {} : { status: fault.status }),
    ...(attempts === null || !isAgain ? {} : { attempts: attempts + passedBefore() }),
  };
  const message = `${edge.subject}: ${fault.message}${isAgain ? '' : triedText(fault, attempts)}`;
  return failure(edge.code, message, redactor, {
    nonRetryable: !isAgain,
    details,
    cause: fault.cause,
    ...(isAgain && retryAfterMs !== null ? { nextRetryDelay: retryAfterMs } : {}),
  });
}

/** Which attempt was the last, and that somebody was asked to come back too late. */
function triedText({ retryable, retryAfterMs }: Fault, attempts: number | null): string {
  if (!retryable) return '';
  const attempt = ownAttempt();
  const tried = attempt <= 1 ? '' : ` (${attemptText(attempt, attempts)})`;
  return retryAfterMs === null
    ? tried
    : `; asks to come back in ${Math.ceil(retryAfterMs / 1_000)} s${tried}`;
}

interface FailureParts {
  nonRetryable: boolean;
  details: JsonObject;
  cause?: unknown;
  /** In ms. */
  nextRetryDelay?: number;
}

function failure(
  type: ErrorCode,
  message: string,
  redactor: Redactor,
  parts: FailureParts,
): ApplicationFailure {
  const cause = redactedCause(parts.cause, redactor, deepestCause);
  return ApplicationFailure.create({
    type,
    message: cut(redactor.message(message), longestMessage),
    nonRetryable: parts.nonRetryable,
    details: [redactor.value(parts.details)],
    ...defined({ cause, nextRetryDelay: parts.nextRetryDelay }),
  });
}

/** A mistake in a program repeats itself; all else (a socket, a native library) may not. */
function unexpected(error: unknown): Fault {
  const isMistake =
    error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  return new Fault(error instanceof Error ? error.message : String(error), { retryable: !isMistake });
}

/** A copy of message and causes alone: libraries hang requests and headers on theirs. */
function redactedCause(cause: unknown, redactor: Redactor, depth: number): Error | undefined {
  if (!(cause instanceof Error) || depth === 0) return undefined;
  const copy = new Error(cut(redactor.message(cause.message), longestCause));
  copy.name = cause.name;
  const inner = redactedCause(cause.cause, redactor, depth - 1);
  if (inner !== undefined) copy.cause = inner;
  return copy;
}

/** Cut only after redaction: half a secret would no longer be found. */
function cut(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${wellFormed(line.slice(0, length - 1))}…`;
}

/** How often a call came to a worker that lacks what it needs, before this attempt: heartbeats hand that on. */
export function passedBefore(): number {
  const { heartbeatDetails } = Context.current().info as { heartbeatDetails?: JsonValue };
  const { passed } = (isObject(heartbeatDetails ?? null) ? heartbeatDetails : {}) as { passed?: unknown };
  return typeof passed === 'number' ? passed : 0;
}

/** Which attempt of the call's own this is: those of workers that couldn't make it don't count. */
export function ownAttempt(): number {
  return Context.current().info.attempt - passedBefore();
}

/** How often a call may be tried in all where it goes wrong like that; null: as often as there is time for. */
function attemptsOf({ isAnswer }: Fault, { attempts, answers, isSaid, timeMs }: Tries): number | null {
  if (isAnswer) return answers;
  return timeMs === undefined || isSaid ? attempts : null;
}

/** Whether there is another attempt after this one. */
export function isTriedAgain(fault: Fault, tries: Tries): boolean {
  if (!fault.retryable) return false;
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = Context.current().info;
  const { retryAfterMs } = fault;
  const { timeMs = Number.POSITIVE_INFINITY, isSaid, patienceMs } = tries;
  // Both are the server's time, which may be skipped: when the first attempt, and this one, were put on its list.
  const elapsedMs = currentAttemptScheduledTimestampMs - scheduledTimestampMs;
  if (elapsedMs >= timeMs) return false;
  const most = attemptsOf(fault, tries);
  if (most !== null && ownAttempt() >= most && (retryAfterMs === null || isSaid)) return false;
  if (retryAfterMs === null) return true;
  return elapsedMs + retryAfterMs <= (tries.timeMs ?? patienceMs);
}

/**
 * Passes a result on if Temporal can record it. One that it can't record would be bought again at each retry, for ever.
 * @throws TactusError payload_too_large, also for a value that is nested deeper than JSON can be written
 */
export function assertResultFits<T>(result: T, what: string): T {
  const limit = defaultLimits.payloadBytes;
  const bytes = jsonBytes(result);
  if (bytes !== null && bytes <= limit) return result;
  const size = bytes === null ? 'nested too deep' : `${megabytes(bytes)} MB`;
  throw new TactusError(
    'payload_too_large',
    `${what} is ${size}; at most ${megabytes(limit)} MB can be recorded`,
    {
      limit,
      ...(bytes === null ? {} : { bytes }),
    },
  );
}

function jsonBytes(value: unknown): number | null {
  try {
    return utf8Length(JSON.stringify(value));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Timers of Node overflow past this and fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Aborts when the activity is cancelled, or with a `TimeoutError` after `timeoutMs`. */
export function attemptSignal(timeoutMs: number | undefined): AbortSignal {
  const { cancellationSignal } = Context.current();
  if (timeoutMs === undefined || !(timeoutMs > 0)) return cancellationSignal;
  const timeout = AbortSignal.timeout(Math.ceil(Math.min(timeoutMs, longestTimerMs)));
  return AbortSignal.any([cancellationSignal, timeout]);
}

/** Whether the signal aborted because the time was up, not because the activity was cancelled. */
export function isTimeout(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
}

/** Waits for signs of life. */
export interface IdleWatch {
  /** Aborts with a `Fault` once there was none for too long. */
  readonly signal: AbortSignal;
  heard(): void;
  end(): void;
}

/** @param longestMs the longest silence, from now on or between two signs */
export function idleWatch(longestMs: number): IdleWatch {
  const controller = new AbortController();
  const giveUp = (): void => {
    const message = `has sent nothing for ${longestMs / 1_000} s`;
    controller.abort(new Fault(message, { retryable: true }));
  };
  const timer = setTimeout(giveUp, Math.min(longestMs, longestTimerMs));
  return {
    signal: controller.signal,
    heard: () => void timer.refresh(),
    end: () => clearTimeout(timer),
  };
}

/** The promise's outcome, or the signal's reason where that comes first. The promise itself goes on. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
  });
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Runs work one after the other, in order of arrival. What is aborted while it waits gives its place up. */
export type Queue = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work, signal) => {
    const previous = last;
    const outcome = untilAborted(previous, signal).then(work);
    // Whoever gives up while waiting must not let the next one pass those before.
    last = Promise.allSettled([previous, outcome]);
    return outcome;
  };
}
