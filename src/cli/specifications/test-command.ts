import { Command } from 'commander';
import { dirname } from 'node:path';
import { TactusError } from '../../contract/errors.js';
import { chooseScenarios } from '../../testing/specifications/feature.js';
import { readTests } from '../../testing/specifications/read-tests.js';
import { runTests } from '../../testing/specifications/run-tests.js';
import type { ScenarioResult, TestResults } from '../../testing/specifications/test-results.js';
import { isUnloaded, readEach } from '../../testing/several-files.js';
import { configure, type SettingFlags } from '../configure.js';
import { act, type Context } from '../context.js';
import { exitCodes, type ExitCode } from '../terminal/exit-codes.js';
import { readDuration } from '../terminal/flag-values.js';
import { readInput } from '../runs/read-input.js';
import { collect, withSettingOptions } from '../runs/start-options.js';
import { readParallel, withTestEnvironment } from './test-environment.js';
import { watchSources } from './watch-sources.js';
import { toCommandError } from '../terminal/to-command-error.js';
import type { Screen } from '../terminal/screen.js';
import { unloadedText } from '../procedures/diagnostic-text.js';

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
}

/** `test FILE…`: runs the scenarios of the files' Specifications, each as a workflow on a server that skips time. */
export function testCommand(): Command {
  return withSettingOptions(new Command('test'))
    .description(
      'run the scenarios of the Specifications in the files, on a server of its own that skips time',
    )
    .argument('<files...>', 'procedures with Specifications')
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
    .action(
      act((context, flags: TestFlags, files: string[]) =>
        flags.watch === true ? testAgainAndAgain(context, flags, files) : test(context, flags, files),
      ),
    );
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
