import type { Command } from 'commander';
import { hasCode, TactusError, type ErrorCode } from '../contract/errors.js';
import { defined } from '../contract/json/json.js';
import { placeText, Screen } from './terminal/screen.js';
import { keepFlags, withOwnCommand } from './terminal/own-command.js';
import type { RunStatus } from '../contract/runs/run-view.js';

/** What else most commands need, so that they have one import of it all. Nothing here may load much: every command loads it. */
export { hasCode, TactusError } from '../contract/errors.js';
export { lastArgument, shellWord, singleQuoted } from '../contract/text/shell-word.js';
export { flagsText, ownCommand, ownVersion, programHere } from './terminal/own-command.js';
export { jsonText, placeText, type Paint, type Screen } from './terminal/screen.js';

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
      const { nextCommand } = await import('./terminal/next-command.js');
      const failure = toCommandError(error);
      process.exitCode = report(screen, failure, options.verbose === true, nextCommand(failure, command));
    }
  };
}

function report(screen: Screen, error: TactusError, isVerbose: boolean, next: string | undefined): ExitCode {
  const told = error.toRunError();
  screen.error(`${withOwnCommand(error.message)}${placeText(told)}`);
  if (isVerbose && error.stack !== undefined) screen.warn(error.stack);
  const message = withOwnCommand(told.message);
  screen.answer({ error: { ...told, message, ...bothSides(error), ...defined({ next }) } }, () => '');
  return exitCodeOfError(error);
}

/** Where a source doesn't fit a log: what is recorded, and what is asked for. */
function bothSides(error: TactusError): object {
  if (!hasCode(error, 'non_determinism')) return {};
  const { position, expected, found } = error.details;
  return defined({ position, expected, found });
}

/** What a command ends with: scripts depend on it. */
export const exitCodes = {
  done: 0,
  /** The run failed, or what was looked at is broken. */
  failed: 1,
  /** Wrong usage or input; nothing was started. */
  refused: 2,
  /** The run waits for a person, or still goes on. */
  goesOn: 3,
  unreachable: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const refusedCodes: readonly ErrorCode[] = [
  'usage',
  'change_refused',
  'codec_failed',
  'config_invalid',
  'dead_letter_unknown',
  'input_invalid',
  'missing_key',
  'missing_package',
  'no_procedure',
  'payload_too_large',
  'request_unknown',
  'requeue_refused',
  'run_conflict',
  'run_not_found',
  'source_invalid',
  'source_not_found',
  'unknown_model',
];

const unreachableCodes: readonly ErrorCode[] = ['server_unreachable', 'no_worker', 'run_stuck'];

/** Of an error that ended a command. How a run ended is no error of the command that followed it. */
export function exitCodeOfError(error: TactusError): ExitCode {
  if (unreachableCodes.includes(error.code)) return exitCodes.unreachable;
  return refusedCodes.includes(error.code) ? exitCodes.refused : exitCodes.failed;
}

export function exitCodeOfStatus(status: RunStatus): ExitCode {
  switch (status) {
    case 'completed':
      return exitCodes.done;
    case 'failed':
    case 'cancelled':
    case 'terminated':
    case 'timed_out':
      return exitCodes.failed;
    case 'running':
    case 'waiting_for_human':
    case 'waiting_for_time':
    case 'waiting_for_children':
    case 'paused':
    case 'cancelling':
      return exitCodes.goesOn;
  }
}

/** For flags that may be repeated. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

/** A flag's number of things, one or more. @throws TactusError usage */
export function readCount(text: string, flag: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new TactusError('usage', `${flag} takes a positive integer, not ${text}`);
  return count;
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new TactusError('usage', `--port takes a number from 0 to 65535, not ${JSON.stringify(text)}`);
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `90s`, `15m`, `2h`, `30d` in ms; a number alone is seconds. @throws TactusError usage */
export function readDuration(text: string, what: string): number {
  const [, digits, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
  if (digits === undefined)
    throw new TactusError(
      'usage',
      `${what} must be a duration such as 90s, 15m, 2h or 30d, not ${JSON.stringify(text)}`,
    );
  return Number(digits) * units[unit as keyof typeof units];
}

/** A date, or an age such as `7d` before `now` (ms since 1970), as ISO 8601 in UTC. @throws TactusError usage */
export function readTime(text: string, flag: string, now: number): string {
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(date)) return new Date(date).toISOString();
  try {
    return new Date(now - readDuration(text, flag)).toISOString();
  } catch {
    throw new TactusError(
      'usage',
      `${flag} must be a date such as 2026-11-01 or 2026-11-01T08:00Z, or a duration such as 24h or 7d, not ${JSON.stringify(text)}`,
    );
  }
}

/** Of a command that changes something. */
export interface DryRunFlag {
  dryRun?: boolean;
}

export function withDryRun(command: Command): Command {
  return command.option('--dry-run', 'check, say what would be done, and change nothing');
}

/** @param would such as `cancel order-7`. @param told what a program wants to know besides */
export function answerDryRun({ screen }: Pick<Context, 'screen'>, would: string, told: object): ExitCode {
  screen.answer({ dry_run: true, would, ...told }, () => `Would ${would}.`);
  return exitCodes.done;
}

interface Interruption {
  signal: AbortSignal;
  /** Ctrl-C in raw mode, in which the terminal sends no signal. */
  interrupt: () => void;
  dispose: () => void;
}

/** Signals by which somebody ends a command. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal asks a command to end and to say how to go on; the second one ends it at once. */
export function interruption(): Interruption {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  for (const name of endingSignals) process.on(name, interrupt);
  return {
    signal: controller.signal,
    interrupt,
    dispose: () => {
      for (const name of endingSignals) process.removeListener(name, interrupt);
    },
  };
}

/** Resolves when a command is asked to end. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener('abort', () => done(), { once: true });
  });
}
