import { defaultLimits, type Limits } from './limits.js';
import type { RetryPolicy, Tries } from './retry-policy.js';
import type { RunSettings } from './run-settings.js';

/** How often a call is tried: as its author says, else as configuration does, else by the limits of the run. */
export function triesOf(
  { attempts, answerAttempts, patienceMs }: Limits,
  { retries }: RunSettings,
  policy: RetryPolicy | undefined,
): Tries {
  const said = policy?.attempts ?? (retries === undefined ? undefined : retries + 1);
  return {
    attempts: policy?.on === 'validation' ? 1 : (said ?? attempts),
    answers: policy?.on === 'infra' ? 1 : (said ?? Math.min(answerAttempts, attempts)),
    patienceMs,
    isSaid: said !== undefined || attempts !== defaultLimits.attempts,
  };
}
