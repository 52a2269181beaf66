import { Argument, Command } from 'commander';
import { completionScript, shells, type Shell } from './completion-script.js';
import { act } from '../context.js';
import { exitCodes } from './exit-codes.js';

const help = `
bash: source <(tactus-temporal completion bash)
zsh:  source <(tactus-temporal completion zsh)
fish: tactus-temporal completion fish | source`;

/** `completion SHELL`: what a shell needs to complete our commands. */
export function completionCommand(program: Command): Command {
  return new Command('completion')
    .description('print a script by which a shell completes commands and flags')
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
