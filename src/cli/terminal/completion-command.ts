import { Argument, Command } from 'commander';
import { act, exitCodes, singleQuoted } from '../command.js';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** What may follow: names of commands, and flags; files are the shell's to complete. */
interface Words {
  /** `schedule create`; empty: the program itself. */
  path: string;
  words: string[];
}

/** A script that a shell reads to complete the words of our commands; it asks nobody while somebody types. */
function completionScript(program: Command, shell: Shell): string {
  const all = wordsOf(program, program, []);
  return shell === 'fish' ? fish(program.name(), all) : bash(program.name(), all, shell);
}

function wordsOf(program: Command, command: Command, path: readonly string[]): Words[] {
  const flags = [...command.options, ...program.options].flatMap(({ long }) => (long == null ? [] : [long]));
  const names = command.commands.map((each) => each.name());
  const own = { path: path.join(' '), words: [...names, ...new Set(flags), '--help'] };
  return [own, ...command.commands.flatMap((each) => wordsOf(program, each, [...path, each.name()]))];
}

/** Zsh takes bash's, by its own means. */
function bash(name: string, all: readonly Words[], shell: Shell): string {
  const cases = all.map(
    ({ path, words }) => `    ${singleQuoted(path)}) words=${singleQuoted(words.join(' '))} ;;`,
  );
  const paths = all.flatMap(({ path }) => (path === '' ? [] : [singleQuoted(path)]));
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_tactus_temporal() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths.join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ "$current" == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _tactus_temporal ${name}
`;
}

function fish(name: string, all: readonly Words[]): string {
  const lines = all.map(({ path, words }) => {
    const isThere =
      path === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${path.split(' ').at(-1)}`;
    return `complete -c ${name} -n ${singleQuoted(isThere)} -a ${singleQuoted(words.join(' '))}`;
  });
  return `${lines.join('\n')}\n`;
}

const help = `
bash: source <(tactus-temporal completion bash)
zsh:  source <(tactus-temporal completion zsh)
fish: tactus-temporal completion fish | source`;

/** `completion SHELL`: what a shell needs to complete our commands. */
export function completionCommand(program: Command): Command {
  return new Command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', help)
    .action(
      act(({ screen }, _flags: object, shell: Shell) => {
        const script = completionScript(program, shell);
        screen.answer({ shell, script }, () => script.trimEnd());
        return Promise.resolve(exitCodes.done);
      }),
    );
}
