import { defaultLimits, type Limits } from '../runs/limits.js';
import type { RetryPolicy, Tries } from './retry-policy.js';
import type { RunSettings } from '../runs/run-settings.js';

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
