import { Option, type Command } from 'commander';
import { inspectEnvironment } from '../../configuration/inspect-environment.js';
import {
  type Environment,
  logFormats,
  logFormatVariable,
  logLevels,
  logLevelVariable,
  readLogFormat,
  readLogLevel,
} from '../../contract/environment.js';
import { configure } from '../configure.js';
import { type Context, TactusError } from '../command.js';
import type { LogSettings, Screen } from '../terminal/screen.js';
import { checkFiles, showSettings } from './config-command.js';

/** Flags of commands that go on until they are told to end. */
export interface ServiceFlags {
  logFormat?: LogSettings['format'];
  logLevel?: LogSettings['level'];
  printConfig?: boolean;
}

/** Adds the flags of services. */
export function withServiceOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--log-format <format>', 'how messages on stderr are written (default: text)').choices(
        logFormats,
      ),
    )
    .addOption(
      new Option('--log-level <level>', 'write no message that is less important (default: info)').choices(
        logLevels,
      ),
    )
    .option('--print-config', 'print each setting, its value and where it comes from, then end');
}

/**
 * What a service does first: it reads its configuration, refuses what it doesn't know, and writes its log as it is told to.
 * @returns whether it is to go on: somebody may only want to see the settings
 * @throws TactusError config_invalid
 */
export async function beginService({ screen }: Context, flags: ServiceFlags): Promise<boolean> {
  // As it was given: what files say is added to it.
  const env = { ...process.env };
  screen.logBy(logSettings(flags));
  await configure(null, {}, screen);
  screen.logBy(logSettings(flags));
  const files = await checkFiles(env);
  if (flags.printConfig === true) {
    await showSettings(screen, files, env);
    return false;
  }
  warnOfEnvironment(screen, env);
  return true;
}

/** A variable that is wrong may be one of another version's: it is said, and stops nothing. */
function warnOfEnvironment(screen: Screen, env: Environment): void {
  const problems = inspectEnvironment({ workingFolder: process.cwd(), env });
  for (const { message, advice } of problems) screen.warn(`${message}: ${advice}`);
}

/** Flags stand above variables, and these above files. @throws TactusError config_invalid */
function logSettings({ logFormat, logLevel }: ServiceFlags): LogSettings {
  const format = readLogFormat((logFormat ?? process.env[logFormatVariable] ?? '') || 'text');
  const level = readLogLevel((logLevel ?? process.env[logLevelVariable] ?? '') || 'info');
  if (format === null)
    throw new TactusError(
      'config_invalid',
      `log_format (${logFormatVariable}) must be one of ${logFormats.join(', ')}`,
    );
  if (level === null)
    throw new TactusError(
      'config_invalid',
      `log_level (${logLevelVariable}) must be one of ${logLevels.join(', ')}`,
    );
  return { format, level };
}
