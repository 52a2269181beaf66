import type { RunError } from '../../contract/errors.js';

/** The JSON of `tactus-temporal test`. */
export interface TestResults {
  /** Numbers of scenarios. */
  passed: number;
  failed: number;
  undefined: number;
  /** Number of files that couldn't be loaded. */
  not_loaded: number;
  files: FileResult[];
}

export interface FileResult {
  file: string;
  scenarios: ScenarioResult[];
  /** Why it couldn't be loaded; null where it could. */
  error: RunError | null;
}

export interface ScenarioResult {
  feature: string;
  name: string;
  tags: string[];
  /** `undefined`: a step of it is nowhere defined; nothing was run. */
  status: 'passed' | 'failed' | 'undefined' | 'skipped';
  steps: StepResult[];
  /** null where nothing was run. */
  run_id: string | null;
  /** The folder of files of its run, or of the last of its runs, where it was to be kept. */
  files_folder?: string;
}

export interface StepResult {
  text: string;
  status: 'passed' | 'failed' | 'undefined' | 'skipped';
  /** What is wrong; empty where nothing is. */
  message: string;
}

/** A step that passed, or failed for what is wrong. */
export function stepOf(text: string, problem: string | null): StepResult {
  return { text, status: problem === null ? 'passed' : 'failed', message: problem ?? '' };
}

export function countResults(files: FileResult[]): TestResults {
  const scenarios = files.flatMap((file) => file.scenarios);
  const count = (status: ScenarioResult['status']): number =>
    scenarios.filter((scenario) => scenario.status === status).length;
  return {
    ...{ passed: count('passed'), failed: count('failed'), undefined: count('undefined') },
    not_loaded: files.filter(({ error }) => error !== null).length,
    files,
  };
}
