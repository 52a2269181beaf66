import type { Command } from 'commander';
import { shellWord } from '../../contract/text/shell-word.js';
import type { ErrorCode, TactusError } from '../../contract/errors.js';
import { ownCommand } from './own-command.js';

/** What is known of the command that failed. */
interface Failed {
  /** As it is typed: `schedule create`. */
  name: string;
  /** The run that it is about; null: none. */
  run: string | null;
  /** The `.tac` file that the error is about; null: none. */
  file: string | null;
}

const always = (words: string) => (): string => words;
const withRun =
  (words: string) =>
  ({ run }: Failed): string | null =>
    run === null ? null : `${words} ${shellWord(run)}`;

/** By the code of an error: the words of the command that shows what is wrong, or mends it. null: none does, for this one. */
const nextWords: Partial<Record<ErrorCode, (failed: Failed) => string | null>> = {
  codec_failed: always('config check'),
  config_invalid: always('config check'),
  dead_letter_unknown: always('dlq list'),
  missing_key: always('doctor'),
  missing_package: always('doctor'),
  no_procedure: ({ file }) => (file === null ? null : `validate ${shellWord(file)}`),
  no_worker: always('worker'),
  non_determinism: withRun('log'),
  request_unknown: withRun('pending'),
  run_conflict: withRun('status'),
  run_not_found: always('list'),
  run_stuck: always('doctor'),
  server_unreachable: always('doctor'),
  source_invalid: ({ file }) => (file === null ? null : `validate ${shellWord(file)}`),
  unknown_model: always('doctor'),
  usage: ({ name }) => `help ${name}`.trim(),
};

/** The command to call next, as it is typed in this folder; undefined: none is known to help. */
export function nextCommand(error: TactusError, command: Command): string | undefined {
  const { file } = error.toRunError();
  const { run_id: about } = error.details;
  const place = command.registeredArguments.findIndex((argument) => argument.name() === 'run');
  const run = typeof about === 'string' ? about : (command.args[place] ?? null);
  const words = nextWords[error.code]?.({ name: pathOf(command), run, file }) ?? null;
  return words === null ? undefined : ownCommand(words);
}

/** Without the program's own name. */
function pathOf(command: Command): string {
  return command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim();
}
