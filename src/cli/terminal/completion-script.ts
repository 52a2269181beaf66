import type { Command } from 'commander';
import { singleQuoted } from '../../contract/text/shell-word.js';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** What may follow: names of commands, and flags; files are the shell's to complete. */
interface Words {
  /** `schedule create`; empty: the program itself. */
  path: string;
  words: string[];
}

/** A script that a shell reads to complete the words of our commands; it asks nobody while somebody types. */
export function completionScript(program: Command, shell: Shell): string {
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
