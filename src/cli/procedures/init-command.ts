import { Command } from 'commander';
import { join } from 'node:path';
import { lastArgument, shellWord } from '../../contract/text/shell-word.js';
import { act } from '../context.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { copyTemplate, readTemplate, templates } from './templates.js';
import { programHere } from '../terminal/own-command.js';

interface InitFlags {
  template: string;
  list?: boolean;
}

/** `init DIR`: a new project that runs and passes its tests. */
export function initCommand(): Command {
  return new Command('init')
    .description('begin a project with a procedure, its data and its tests')
    .argument('[dir]', 'folder of the project, made where it isn’t there', '.')
    .option('--template <name>', 'what it begins with: see --list', 'approval')
    .option('--list', 'say what templates there are, and write nothing')
    .action(
      act(async ({ screen }, { template: name, list }: InitFlags, project: string) => {
        if (list === true) {
          const width = Math.max(...Object.keys(templates).map((each) => each.length));
          screen.answer({ templates }, () =>
            Object.entries(templates)
              .map(([each, text]) => `${each.padEnd(width)}  ${text}`)
              .join('\n'),
          );
          return exitCodes.done;
        }
        const template = readTemplate(name);
        const files = await copyTemplate(template, project);
        screen.answer({ folder: project, template, files }, () =>
          files.map((file) => join(project, file)).join('\n'),
        );
        const procedure = files.find((file) => file.endsWith('.tac')) ?? '';
        screen.note(nextSteps(project, procedure));
        return exitCodes.done;
      }),
    );
}

function nextSteps(project: string, procedure: string): string {
  return [
    ...(project === '.' ? [] : [`cd ${lastArgument(project)}`]),
    `${programHere()} test ${shellWord(procedure)} --mock    its tests, without any model`,
    `${programHere()} run ${shellWord(procedure)}    the procedure`,
    `${programHere()} types    what an editor needs to know of the language`,
  ].join('\n');
}
