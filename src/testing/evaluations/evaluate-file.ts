import { loadConfiguration } from '../../configuration/load-configuration.js';
import { TactusError } from '../../contract/errors.js';
import type { TestEnvironment } from '../../worker/specifications/test-environment.js';
import type { EvaluationResult } from './evaluation-results.js';
import { defaultParallel } from '../in-parallel.js';
import { readEvaluations } from './read-evaluations.js';
import { readTests } from '../specifications/read-tests.js';
import { runEvaluation } from './run-evaluation.js';

/** How the cases of a file's Evaluations run. Each field is a flag of `tactus-temporal evaluate`, with its default. */
export interface EvaluateFileOptions {
  /** No model is asked, nor a judge. Left out: false. */
  mock?: boolean;
  /** How often each case runs; left out: as often as the file says. */
  runs?: number;
  /** Runs at once; left out: one for each processor, four at most. */
  parallel?: number;
  /** Time of this machine that one run may take, in ms; left out: five minutes. */
  timeoutMs?: number;
}

/**
 * Runs the `Evaluation`s of a file that have a dataset, and holds them to their thresholds.
 * @returns one result for each Evaluation; one that misses its thresholds is a result, and nothing is thrown for it
 * @throws TactusError source_not_found, source_invalid, config_invalid; usage where there is none with a dataset
 */
export async function evaluateFile(
  environment: TestEnvironment,
  file: string,
  options: EvaluateFileOptions = {},
): Promise<EvaluationResult[]> {
  const configuration = await loadConfiguration(file, { workingFolder: process.cwd(), env: process.env });
  const tests = await readTests(file, configuration);
  const evaluations = await readEvaluations(file, tests.declared.evaluations);
  if (evaluations.length === 0)
    throw new TactusError('usage', `No Evaluation with a dataset was found in ${file}`);
  const results: EvaluationResult[] = [];
  for (const evaluation of evaluations)
    results.push(
      await runEvaluation(environment, tests, evaluation, {
        mock: options.mock ?? false,
        parallel: options.parallel ?? defaultParallel(),
        timeoutMs: options.timeoutMs ?? 300_000,
        runs: options.runs ?? null,
      }),
    );
  return results;
}
