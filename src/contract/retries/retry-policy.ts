import { defaultLimits, type Limits } from '../runs/limits.js';
import type { RunSettings } from '../runs/run-settings.js';

/**
 * How often something is asked that goes over the network, as an author says it. What is left out is as the settings and
 * limits of the run say.
 */
export interface RetryPolicy {
  /** In all, the first time included. */
  attempts?: number;
  /** Wait before the second attempt, in ms. */
  delayMs?: number;
  /** Longest wait between two attempts, in ms. */
  longestDelayMs?: number;
  /** How long it is tried, in ms; an attempt that is waited for by then is the last. Left out: attempts alone count. */
  timeMs?: number;
  /** Left out: exponential, each wait is twice as long as the one before. */
  backoff?: 'constant' | 'exponential';
  /** What is tried again: what fails on its way, or what was answered and can't be used. Left out: both. */
  on?: 'infra' | 'validation';
}

/** What an attempt knows of those after it: the input of activities. Builds before 0.2 gave none. */
export interface Tries {
  /** How often it is tried in all where it fails on its way. */
  attempts: number;
  /** The same where an answer came, and was paid for, but can't be used. */
  answers: number;
  /** Who says when to come back is asked again for so long; in ms. */
  patienceMs: number;
  /** Somebody has said how often: that holds for who says when to come back, too. Else he is asked however often. */
  isSaid: boolean;
  /**
   * Time in all, in ms: what fails on its way is tried for so long, however often where nobody has said how often.
   * Left out: attempts alone count.
   */
  timeMs?: number;
}

/** How often a call is tried: as its author says, else as configuration does, else by the limits of the run. */
export function triesOf(
  { attempts, answerAttempts, patienceMs }: Limits,
  { retries }: RunSettings,
  policy: RetryPolicy | undefined,
): Tries {
  const timeMs = policy?.timeMs;
  const others = retries === undefined || timeMs !== undefined ? undefined : retries + 1;
  const said = policy?.attempts ?? others;
  return {
    attempts: policy?.on === 'validation' ? 1 : (said ?? attempts),
    answers: policy?.on === 'infra' ? 1 : (said ?? Math.min(answerAttempts, attempts)),
    patienceMs,
    isSaid: said !== undefined || (timeMs === undefined && attempts !== defaultLimits.attempts),
    ...(timeMs === undefined ? {} : { timeMs }),
  };
}

/**
 * Which attempt at a call, and of how many: the words are the same wherever attempts are counted. The first is attempt 1.
 * @param attempts in all; null: nobody knows, or time ends them
 */
export function attemptText(attempt: number, attempts: number | null): string {
  return attempts === null || attempt > attempts ? `attempt ${attempt}` : `attempt ${attempt} of ${attempts}`;
}
