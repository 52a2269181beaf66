import { Command } from 'commander';
import { TactusError } from '../../contract/errors.js';
import {
  unevaluated,
  type EvaluationResult,
  type EvaluationResults,
  type EvaluationRunResult,
} from '../../testing/evaluations/evaluation-results.js';
import { readEvaluations } from '../../testing/evaluations/read-evaluations.js';
import { readTests } from '../../testing/specifications/read-tests.js';
import { runEvaluation } from '../../testing/evaluations/run-evaluation.js';
import { isUnloaded, readEach } from '../../testing/several-files.js';
import { act, type Context } from '../context.js';
import { configure, type SettingFlags } from '../configure.js';
import { exitCodes, type ExitCode } from '../terminal/exit-codes.js';
import { readCount, readDuration } from '../terminal/flag-values.js';
import type { Screen } from '../terminal/screen.js';
import { withSettingOptions } from '../runs/start-options.js';
import { readParallel, withTestEnvironment } from './test-environment.js';
import { unloadedText } from '../procedures/diagnostic-text.js';

interface EvaluateFlags extends SettingFlags {
  mock?: boolean;
  runs?: string;
  parallel?: string;
  timeout: string;
}

/** `evaluate FILE…`: how often a procedure does what it should, by the `Evaluation`s of its file. */
export function evaluateCommand(): Command {
  return withSettingOptions(new Command('evaluate'))
    .alias('eval')
    .description('run the Evaluations in the files: each case several times, with scores and thresholds')
    .argument('<files...>', 'procedures with an Evaluation that has a dataset')
    .option('--mock', 'do not call models: agents, tools and models answer as Mocks say')
    .option('--runs <n>', 'number of runs of each case (default: as the file says)')
    .option('--parallel <n>', 'runs at once (default: one for each processor)')
    .option('--timeout <duration>', 'time limit of one run on this machine', '5m')
    .action(act((context, flags: EvaluateFlags, files: string[]) => evaluate(context, flags, files)));
}

async function evaluate(context: Context, flags: EvaluateFlags, names: string[]): Promise<ExitCode> {
  const { screen } = context;
  const options = {
    mock: flags.mock === true,
    parallel: readParallel(flags.parallel),
    timeoutMs: readDuration(flags.timeout, '--timeout'),
    runs: flags.runs === undefined ? null : readCount(flags.runs, '--runs'),
  };
  const files = await readEach(names, async (name) => {
    const test = await readTests(name, await configure(name, flags, screen));
    return { test, evaluations: await readEvaluations(name, test.declared.evaluations) };
  });
  if (files.every((entry) => !isUnloaded(entry) && entry.evaluations.length === 0))
    throw new TactusError('usage', `No Evaluation with a dataset was found in ${names.join(', ')}`);
  for (const entry of files) if (isUnloaded(entry)) screen.note(unloadedText(entry, screen.paint));
  const evaluations = await withTestEnvironment(
    context,
    { files: names, coldCaches: false, keepFiles: false },
    async (environment) => {
      const results: EvaluationResult[] = [];
      for (const entry of files) {
        if (isUnloaded(entry)) results.push(unevaluated(entry));
        else
          for (const evaluation of entry.evaluations) {
            let done = 0;
            const total = evaluation.cases.length * (options.runs ?? evaluation.runs);
            const onRun = (run: EvaluationRunResult): void =>
              screen.note(evaluatedRunText(run, ++done, total, screen.paint));
            results.push(await runEvaluation(environment, entry.test, evaluation, { ...options, onRun }));
          }
      }
      return results;
    },
  );
  const results: EvaluationResults = { passed: evaluations.every(({ passed }) => passed), evaluations };
  screen.answer(results, () => evaluations.map((each) => evaluationText(each)).join('\n'));
  return results.passed ? exitCodes.done : exitCodes.failed;
}

/** One run that has ended, and how far the evaluation is. */
function evaluatedRunText(
  run: EvaluationRunResult,
  done: number,
  total: number,
  paint: Screen['paint'],
): string {
  const mark = run.status === 'passed' ? paint.green('✓') : paint.red('✗');
  const lines = [
    ...run.problems.map((problem) => `    ${problem}`),
    ...run.unknown.map((text) => paint.dim(`    not judged: ${text}`)),
  ];
  return [`${mark} ${run.case} (${done} of ${total})`, ...lines].join('\n');
}

function evaluationText(result: EvaluationResult): string {
  const { file, success_rate, passed, problems, runs, error } = result;
  if (error !== null) return `${file}: can't be loaded`;
  const count = runs.filter(({ status }) => status === 'passed').length;
  const rate = `${count} of ${runs.length} runs passed (${Math.round(success_rate * 100)} %)`;
  return [
    `${file}: ${rate}${passed ? '' : ', which is not enough'}`,
    ...problems.map((problem) => `  ${problem}`),
  ].join('\n');
}
