import { defaultLimits } from '../../src/contract/runs/limits.js';

/** Limits of a run that is looked at in one execution, also where `HISTORY_EVENTS` has others continue as new. */
export const oneExecution = { historyEvents: defaultLimits.historyEvents };
