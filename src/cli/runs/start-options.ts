import type { Command } from 'commander';
import type { SettingFlags } from '../configure.js';

/** Flags of `run` and `start`. */
export interface StartFlags extends SettingFlags {
  param: string[];
  input?: string;
  id?: string;
  timeout?: string;
  /** false: whatever `validate` finds. */
  validate?: boolean;
  /** Of `run` alone. */
  mock?: boolean;
}

/** Adds what both take. */
export function withStartOptions(command: Command): Command {
  return withSettingOptions(command)
    .argument('<file>', 'the procedure: a .tac file')
    .argument('[task]', 'task to run (default: run, else the main procedure, else its only task)')
    .option('--param <name=value>', 'one field of the input; may be repeated', collect, [])
    .option('--input <json|@file|->', 'the input as JSON, from a file, or from stdin')
    .option('--id <run>', 'id of the run; if the run exists, it is followed')
    .option('--no-validate', 'start it even if validate finds errors')
    .option('--timeout <duration>', 'time limit of the run, such as 30d');
}

/** Adds the flags that stand above configuration. */
export function withSettingOptions(command: Command): Command {
  return command
    .option('--strict, --strict-determinism', 'time and chance outside of a checkpoint are an error')
    .option('--no-strict-determinism', 'they are warnings, whatever the configuration and the file say');
}

/** For flags that may be repeated. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}
