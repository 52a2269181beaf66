import { Command } from 'commander';
import { dirname } from 'node:path';
import { chooseScenarios } from '../../testing/specifications/feature.js';
import { readTests, runTests } from '../../testing/specifications/run-tests.js';
import type { ScenarioResult, TestResults } from '../../testing/specifications/test-results.js';
import { defaultParallel, isUnloaded, readEach } from '../../testing/several-files.js';
import { configure, filesFolder, type SettingFlags, withSettingOptions } from '../configure.js';
import {
  TactusError,
  act,
  endingSignals,
  exitCodes,
  readCount,
  readDuration,
  type Context,
  type ExitCode,
  type Screen,
  collect,
} from '../command.js';
import { readInput } from '../runs/read-input.js';
import { watchSources } from './watch-sources.js';
import { toCommandError } from '../terminal/to-command-error.js';
import { unloadedText } from '../procedures/diagnostic-text.js';
import { readEvaluations } from '../../testing/evaluations/read-evaluations.js';
import {
  runEvaluation,
  unevaluated,
  type EvaluationResult,
  type EvaluationResults,
  type EvaluationRunResult,
} from '../../testing/evaluations/run-evaluation.js';
import type { TestEnvironment } from '../../worker/index.js';

const marks = { passed: '✓', failed: '✗', undefined: '?', skipped: '-' } as const;

/** A scenario that has ended; where it didn't pass, with its steps. */
function scenarioText(file: string, result: ScenarioResult, paint: Screen['paint']): string {
  const colour = result.status === 'passed' ? paint.green : paint.red;
  const title = `${colour(marks[result.status])} ${file} · ${result.feature} · ${result.name}`;
  const told =
    result.status === 'passed' ? result.steps.filter(({ message }) => message !== '') : result.steps;
  const steps = told.map(({ text, status, message }) => {
    const line = `    ${marks[status]} ${text}`;
    if (message === '') return paint.dim(line);
    return `${paint.red(line)}\n${message.replace(/^/gm, '        ')}`;
  });
  const { files_folder: kept } = result;
  return [title, ...steps, ...(kept === undefined ? [] : [`    files: ${kept}`])].join('\n');
}

function summaryText({ passed, failed, undefined: missing, not_loaded: unloaded }: TestResults): string {
  const undefinedSteps = missing === 0 ? '' : `, ${missing} with undefined steps`;
  const files = unloaded === 0 ? '' : `, ${unloaded} ${unloaded === 1 ? 'file' : 'files'} not loaded`;
  return `${passed} passed, ${failed} failed${undefinedSteps}${files}`;
}

interface TestFlags extends SettingFlags {
  mock?: boolean;
  scenario?: string;
  tag: string[];
  param: string[];
  parallel?: string;
  timeout: string;
  twice?: boolean;
  crashEverywhere?: boolean;
  watch?: boolean;
  keepFiles?: boolean;
  fromRun?: string;
  output?: string;
}

/** `test FILE…`: runs the scenarios of the files' Specifications, each as a workflow on a server that skips time. */
export function testCommand(): Command {
  return withSettingOptions(new Command('test'))
    .description(
      'run the scenarios of the Specifications in the files, on a server of its own that skips time',
    )
    .argument('[files...]', 'procedures with Specifications')
    .option('--mock', 'do not call models: agents, tools and models answer as Mocks and the scenario say')
    .option('--scenario <name>', 'only scenarios whose name contains this text')
    .option('--tag <tag>', 'only scenarios with this tag; may be repeated', collect, [])
    .option('--param <name=value>', 'input for every scenario; may be repeated', collect, [])
    .option('--parallel <n>', 'scenarios at once (default: one for each processor)')
    .option('--timeout <duration>', 'time limit of one scenario on this machine', '60s')
    .option('--twice', 'run each scenario again from its log, and compare what both runs do')
    .option('--crash-everywhere', 'run each scenario again on a worker that crashes after each effect')
    .option('--keep-files', 'keep the folders of files of the scenarios, and say where they are')
    .option('--watch', 'run them again after each change of a source or its configuration, until Ctrl-C')
    .option('--from-run <run>', 'write a run that has ended, or a file of export, as a feature file instead')
    .option('--output <file>', 'with --from-run: the file, or a folder (default: <run>.feature)')
    .action(
      act((context, flags: TestFlags, files: string[]) => {
        const { fromRun, output } = flags;
        if (fromRun === undefined ? files.length === 0 || output !== undefined : files.length > 0)
          throw new TactusError('usage', 'Name files to test, or --from-run (with --output), and not both');
        if (fromRun !== undefined) return specify(context, fromRun, output);
        return flags.watch === true ? testAgainAndAgain(context, flags, files) : test(context, flags, files);
      }),
    );
}

async function specify(context: Context, run: string, output: string | undefined): Promise<ExitCode> {
  const { writeFromRun } = await import('./from-run.js');
  return writeFromRun(context, run, output);
}

/** @throws TactusError usage with --json, which has one document */
async function testAgainAndAgain(context: Context, flags: TestFlags, files: string[]): Promise<never> {
  const { screen, options } = context;
  if (options.json === true) throw new TactusError('usage', '--watch has no end, and --json is one document');
  const sources = watchSources(files.map((file) => dirname(file)));
  for (;;) {
    await test(context, flags, files).catch((error: unknown) => {
      const { code, message } = toCommandError(error);
      screen.warn(`${screen.paint.red('error')} ${message}${code === 'internal' ? ' (internal)' : ''}`);
    });
    screen.note(screen.paint.dim('Waiting for a change …'));
    screen.note(screen.paint.dim(`${(await sources.next()).join(', ')} has changed`));
  }
}

async function test({ options, screen }: Context, flags: TestFlags, names: string[]): Promise<ExitCode> {
  const timeoutMs = readDuration(flags.timeout, '--timeout');
  const parallel = readParallel(flags.parallel);
  const files = await readEach(names, async (name) => {
    const file = await readTests(name, await configure(name, flags, screen));
    const choice = { tags: flags.tag, ...(flags.scenario === undefined ? {} : { scenario: flags.scenario }) };
    const scenarios = chooseScenarios(file.scenarios, choice);
    return { ...file, scenarios, input: await readInput(flags, file.declared.input) };
  });
  if (files.every((entry) => !isUnloaded(entry) && entry.scenarios.length === 0))
    throw new TactusError('usage', `No scenario was found in ${names.join(', ')}${filterText(flags)}`);
  for (const entry of files) if (isUnloaded(entry)) screen.note(unloadedText(entry, screen.paint));
  const twice = flags.twice === true;
  const crashEverywhere = flags.crashEverywhere === true;
  const given = { files: names, coldCaches: twice || crashEverywhere, keepFiles: flags.keepFiles === true };
  const results = await withTestEnvironment({ screen, options }, given, (environment) =>
    runTests(environment, files, {
      mock: flags.mock === true,
      parallel,
      timeoutMs,
      twice,
      crashEverywhere,
      // The reference's name for it.
      judgeModel: process.env['TACTUS_SEMANTIC_ASSERT_MODEL'] || null,
      onScenario: (file, result) => screen.note(scenarioText(file, result, screen.paint)),
    }),
  );
  screen.answer(results, () => summaryText(results));
  return results.failed + results.undefined + results.not_loaded === 0 ? exitCodes.done : exitCodes.failed;
}

function filterText({ scenario, tag }: TestFlags): string {
  const named = scenario === undefined ? '' : ` with "${scenario}" in its name`;
  return tag.length === 0 ? named : `${named} with the tag ${tag.join(' or ')}`;
}

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

/**
 * Does something on a server that skips time, and stops it whatever comes.
 * @throws TactusError server_unreachable where the server can't be had; usage where the folder of files is none
 */
async function withTestEnvironment<T>(
  { options, screen }: Context,
  given: { files: readonly string[]; coldCaches: boolean; keepFiles: boolean },
  work: (environment: TestEnvironment) => Promise<T>,
): Promise<T> {
  const { tools } = await configure(null, {}, screen);
  const { path: filesRoot } = filesFolder(options);
  // Only who asks for it here and now has tests work in a folder of the project.
  const isNamed = options.files !== undefined;
  if (isNamed && given.keepFiles)
    throw new TactusError('usage', '--keep-files: with --files DIR, all files are in DIR, and stay there');
  // The SDK takes a second to load: what is refused before is refused without it.
  const { quietRuntime } = await import('../../worker/index.js');
  const { configuredTools } = await import('../../worker/tools/configured-tools.js');
  const { startTestEnvironment } = await import('../../worker/index.js');
  const { corporaSettings } = await import('../../worker/worker-environment.js');
  const { modelSettings } = await import('../../worker/worker-environment.js');
  const activities = {
    ...(await configuredTools(tools, process.cwd())),
    ...modelSettings(process.env, process.cwd()),
    ...corporaSettings(process.env, process.cwd()),
  };
  quietRuntime({ verbose: options.verbose === true, write: (...line) => screen.log(...line) });
  // Folders of files are removed as the process exits, which it doesn't where a signal ends it.
  const end = (): void => process.exit(exitCodes.interrupted);
  for (const name of endingSignals) process.once(name, end);
  try {
    const environment = await startTestEnvironment({
      ...{ filesRoot, staysInside: isNamed, ownFiles: !isNamed },
      ...{ activities, ...given },
    });
    return await work(environment).finally(() => environment.stop());
  } finally {
    for (const name of endingSignals) process.removeListener(name, end);
  }
}

/** How many runs at once: as asked for, else as many as is sensible here. @throws TactusError usage */
function readParallel(given: string | undefined): number {
  return given === undefined ? defaultParallel() : readCount(given, '--parallel');
}
