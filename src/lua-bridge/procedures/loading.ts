import { PerRun } from '../kernel/per-run.js';

/** Whether the top level of the file has been executed, with all that it declares. */
export const loading = new PerRun(() => ({ hasEnded: false }));
