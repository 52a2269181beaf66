import { Command, type Argument, type Option } from 'commander';
import { defined, type JsonValue } from '../../contract/json/json.js';
import { act, exitCodes, ownVersion, TactusError } from '../command.js';

/** What a person reads of exit codes; of a program's help, too. */
export const exitCodeTexts = {
  0: 'done as asked',
  1: 'the run failed',
  2: 'wrong usage or input, nothing started',
  3: 'the run waits for a person or goes on',
  4: "server or worker can't be reached",
  130: 'interrupted',
} as const;

interface ArgumentHelp {
  name: string;
  description: string;
  required: boolean;
  /** It takes all that follows. */
  variadic: boolean;
  choices?: readonly string[];
}

interface OptionHelp {
  /** As it is typed: `--ramp <percentages>`. */
  flags: string;
  description: string;
  /** What its value is called; null: it takes none. */
  value: string | null;
  /** The value may be left out. */
  optional_value: boolean;
  /** It may be given several times, or takes several values. */
  variadic: boolean;
  /** The command needs it. */
  required: boolean;
  /** What is taken where it is left out; left out: nothing, or what the description says. */
  default?: JsonValue;
  choices?: readonly string[];
}

/** A command, for programs. */
export interface CommandHelp {
  /** With those that it is a part of: `schedule create`. */
  name: string;
  description: string;
  /** As it is typed, without the program's name. */
  usage: string;
  arguments: ArgumentHelp[];
  options: OptionHelp[];
  /** Its parts. */
  commands: CommandHelp[];
}

function helpOf(command: Command, path: readonly string[]): CommandHelp {
  const name = path.join(' ');
  return {
    ...{ name, description: command.description(), usage: `${name} ${command.usage()}`.trim() },
    arguments: command.registeredArguments.map(argumentHelp),
    options: command.options.filter(({ hidden }) => !hidden).map(optionHelp),
    commands: command.commands.map((each) => helpOf(each, [...path, each.name()])),
  };
}

function argumentHelp(argument: Argument): ArgumentHelp {
  const { description, required, variadic, argChoices: choices } = argument;
  return { name: argument.name(), description, required, variadic, ...defined({ choices }) };
}

function optionHelp({ flags, description, mandatory, variadic, ...option }: Option): OptionHelp {
  const [, value] = /[<[]([^>\]]*)[>\]]/.exec(flags) ?? [];
  const { optional, argChoices: choices } = option;
  const standard = option.defaultValue as JsonValue | undefined;
  // What is given several times begins as an empty list.
  const isList = Array.isArray(standard);
  return {
    ...{ flags, description, value: value?.replace('...', '') ?? null, optional_value: optional },
    ...{ variadic: variadic || isList, required: mandatory },
    ...defined({ default: isList ? undefined : standard, choices }),
  };
}

/** `help [COMMAND…]`: what `--help` shows, and with `--json` all of it for programs. */
export function helpCommand(program: Command): Command {
  return new Command('help')
    .description('show the help of a command; with --json, commands and flags for programs')
    .argument('[command...]', 'the command and its part, as in schedule create; left out: all of them')
    .action(
      act(({ screen, options }, _flags: object, words: string[]) => {
        let command = program;
        for (const word of words) {
          const part = command.commands.find((each) => each.name() === word);
          if (part === undefined) throw new TactusError('usage', `unknown command '${words.join(' ')}'`);
          command = part;
        }
        if (options.json !== true) command.outputHelp();
        else if (command !== program) screen.answer(helpOf(command, words), () => '');
        else {
          const own = { name: program.name(), version: ownVersion(), exit_codes: exitCodeTexts };
          screen.answer({ ...helpOf(program, []), ...own }, () => '');
        }
        return Promise.resolve(exitCodes.done);
      }),
    );
}
