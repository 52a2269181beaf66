import type { Command } from 'commander';
import type { TactusError } from '../contract/errors.js';
import { exitCodeOfError, type ExitCode } from './terminal/exit-codes.js';
import { placeText } from './terminal/terminal-text.js';
import { Screen } from './terminal/screen.js';
import { keepFlags, withOwnCommand } from './terminal/own-command.js';

/** Flags that every command takes. */
export interface CommonOptions {
  json?: boolean;
  address?: string;
  namespace?: string;
  taskQueue?: string;
  files?: string;
  codecEndpoint?: string;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

/** What a command gets besides its own arguments. */
export interface Context {
  options: CommonOptions;
  screen: Screen;
}

/**
 * Makes a command's action of what it does: an error becomes a message, or the one JSON document, and an exit code.
 * Arguments come before options.
 */
export function act<Options, Args extends unknown[]>(
  work: (context: Context, options: Options, ...args: Args) => Promise<ExitCode>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const options = command.optsWithGlobals<CommonOptions & Options>();
    const { json = false, quiet = false, color = true } = options;
    const screen = new Screen({ json, quiet, color });
    keepFlags(options);
    try {
      process.exitCode = await work({ options, screen }, options, ...(given.slice(0, -2) as Args));
    } catch (error) {
      // What the SDK's own errors are is known to those alone that have one: it takes long to load.
      const { toCommandError } = await import('./terminal/to-command-error.js');
      process.exitCode = report(screen, toCommandError(error), options.verbose === true);
    }
  };
}

function report(screen: Screen, error: TactusError, isVerbose: boolean): ExitCode {
  const told = error.toRunError();
  const message = withOwnCommand(error.message);
  screen.warn(`${screen.paint.red('error')} ${message}${placeText(told)}`);
  if (isVerbose && error.stack !== undefined) screen.warn(error.stack);
  screen.answer({ error: { ...told, message: withOwnCommand(told.message) } }, () => '');
  return exitCodeOfError(error);
}
