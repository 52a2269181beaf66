import { Command } from 'commander';
import type { ConfigFile, Surroundings } from '../../configuration/config-files.js';
import { inspectConfiguration, type ConfigProblem } from '../../configuration/inspect-configuration.js';
import { inspectEnvironment, inspectNamed, ownVariables } from '../../configuration/inspect-environment.js';
import type { Environment } from '../../contract/environment.js';
import { listSettings, listVariables, type ListedSetting } from '../../configuration/list-settings.js';
import { act, type CommonOptions, exitCodes, TactusError, type Paint, type Screen } from '../command.js';
import { connectionTarget } from '../connection.js';

/** `config check|show`: what workers and servers in this folder are told, and what is wrong with it. */
export function configCommand(): Command {
  const command = new Command('config').description(
    'check or show the configuration of workers and servers in this folder',
  );
  command
    .command('check')
    .description(
      'find what is wrong in configuration files and the environment, and print the line that mends it',
    )
    .action(
      act(async ({ options, screen }) => {
        const { files, problems } = await inspect(options);
        const isValid = problems.every(({ severity }) => severity === 'warning');
        screen.answer({ valid: isValid, files: files.map(({ file }) => file), problems }, () =>
          checkText(files, problems, screen.paint),
        );
        return isValid ? exitCodes.done : exitCodes.failed;
      }),
    );
  command
    .command('show')
    .description('print each setting, its value and where it comes from; secrets are not shown')
    .action(
      act(async ({ screen }) => {
        await showSettings(screen, await checkFiles(process.env), process.env);
        return exitCodes.done;
      }),
    );
  return command;
}

/** All that is wrong with what holds in this folder. */
export async function inspect(
  options: CommonOptions,
): Promise<{ files: ConfigFile[]; problems: ConfigProblem[] }> {
  const { files, problems } = await inspectFiles();
  return {
    files,
    problems: [
      ...problems,
      ...inspectNamed(files, surroundings()),
      ...inspectEnvironment(surroundings()),
      ...serverAddressProblems(options),
    ],
  };
}

const surroundings = (env: Environment = process.env): Surroundings => ({
  workingFolder: process.cwd(),
  env,
});

async function inspectFiles(
  env: Environment = process.env,
): Promise<{ files: ConfigFile[]; problems: ConfigProblem[] }> {
  const { serverProblems } = await import('../../server/settings.schema.js');
  const { workerProblems } = await import('../../worker/settings.schema.js');
  return inspectConfiguration(surroundings(env), { server: serverProblems, worker: workerProblems });
}

/** @throws TactusError config_invalid that says all that is wrong with files that hold for all procedures */
export async function checkFiles(env: Environment): Promise<ConfigFile[]> {
  const { files, problems } = await inspectFiles(env);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return files;
  const told = errors.map(({ file, line, message, advice }) => `${placed(file, line)}${message} → ${advice}`);
  throw new TactusError('config_invalid', told.join('\n'));
}

/** Temporal's own variables and profiles, as its reader takes them. */
function serverAddressProblems(options: CommonOptions): ConfigProblem[] {
  const problem = (setting: string, message: string, advice: string): ConfigProblem[] => [
    { severity: 'error', file: null, line: null, setting, message, advice },
  ];
  try {
    const address = connectionTarget(options).connection?.address ?? '';
    if (address === '' || /^[^\s/:]+:\d{1,5}$|^\[[\da-f:]+\]:\d{1,5}$/i.test(address)) return [];
    return problem(
      'TEMPORAL_ADDRESS',
      'The address of the Temporal server must be a host and a port, without http:// before it',
      'set TEMPORAL_ADDRESS=temporal.example.com:7233',
    );
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return problem(
      'TEMPORAL_PROFILE',
      `Temporal's settings can't be read: ${message}`,
      'correct TEMPORAL_CONFIG_FILE, TEMPORAL_PROFILE or TEMPORAL_TLS_…',
    );
  }
}

function checkText(files: readonly ConfigFile[], problems: readonly ConfigProblem[], paint: Paint): string {
  const lines = problems.flatMap(({ severity, file, line, message, advice }) => [
    `${severity === 'error' ? paint.red('error') : paint.yellow('warning')} ${placed(file, line)}${message}`,
    `  → ${advice}`,
  ]);
  const read = files.length === 0 ? 'no configuration file' : files.map(({ file }) => file).join(', ');
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return [
    ...lines,
    errors === 0
      ? `The configuration is right (${read}).`
      : `${errors} ${errors === 1 ? 'error' : 'errors'} in ${read} and the environment.`,
  ].join('\n');
}

export function placed(file: string | null, line: number | null): string {
  if (file === null) return '';
  return line === null ? `${file}: ` : `${file}:${line}: `;
}

/**
 * Prints what counts here, and whence.
 * @param env as it was given, without what files add to it
 */
export async function showSettings(
  screen: Screen,
  files: readonly ConfigFile[],
  env: Environment,
): Promise<void> {
  const { usualWorkerSettings } = await import('../../worker/settings.schema.js');
  const named = [...listSettings(files), ...listVariables(env, Object.keys(ownVariables))];
  const usual = Object.entries(usualWorkerSettings)
    .map(([name, value]): ListedSetting => ({ name: `worker.${name}`, value, origin: 'usual' }))
    .filter(({ name }) => named.every((each) => each.name !== name));
  const settings = [...named, ...usual];
  screen.answer({ files: files.map(({ file }) => file), settings }, () =>
    settings
      .map(
        ({ name, value, origin }) =>
          `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}  (${origin})`,
      )
      .join('\n'),
  );
}
