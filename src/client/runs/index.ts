/** Works on whole logs of runs: forks, imports, exports, archives. */
export {
  archiveRun,
  historiesOfArchive,
  packArchive,
  readArchive,
  type Archive,
  type ArchiveFile,
} from './archive.js';
export { exportRun } from './export-run.js';
export { readImport, recordedInput, type Import, type ImportOptions } from './import/read-import.js';
export { readFork, type ForkOptions } from './read-fork.js';
export type { Consent } from '../changes/change-plan.js';
export { backtest, estimateTrials } from '../changes/backtest.js';
export { pastEnd } from '../changes/past-end.js';
export { exportedRun, pastRun, pastRuns, type PastRun, type PastRunPlace } from '../changes/past-runs.js';
export { diffRuns } from '../changes/diff-runs.js';
export {
  countOpenRuns,
  upgradeRun,
  upgradeRuns,
  type OpenRunsOf,
  type UpgradedRun,
} from '../changes/upgrade.js';
export type { Told } from '../changes/go-on.js';
export { readRetry } from '../changes/retry.js';
export {
  retryRuns,
  forkRuns,
  rewindRuns,
  type ChangedRun,
  type FailedRuns,
  type ManyRuns,
} from '../changes/failed-runs.js';
export { rewindRun } from '../changes/rewind.js';
export { readRequestedEffects, wholeRequest, type RequestedEffects } from './replayed-program.js';
