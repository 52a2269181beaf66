import { Command } from 'commander';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastArgument, shellWord, act, exitCodes, programHere, TactusError } from '../command.js';
import { closest } from '../../validation/program/did-you-mean.js';

/** What a project can begin with, and what it shows. */
export const templates = {
  approval: 'approvals that may take weeks, one person after the other',
  support: 'a conversation with a customer: tools, and money that goes out after somebody has agreed',
  batch: 'a folder of documents, read side by side',
  research: 'an agent that answers from files, and a person who reads what it wrote',
  runbook: 'a sick service: look, ask, restart, look again, undo',
} as const;

type Template = keyof typeof templates;

const folder = fileURLToPath(new URL('../../../templates', import.meta.url));

/** npm leaves files of this name out of packages, so no template has one. */
const ignored = { name: '.gitignore', text: '.tactus-temporal/\n' };
/** What coding agents are told in every project. */
const forAgents = {
  name: 'AGENTS.md',
  path: fileURLToPath(new URL('../../../skills/tactus/AGENTS.md', import.meta.url)),
};

/** @throws TactusError usage naming those that there are */
function readTemplate(name: string): Template {
  if (Object.hasOwn(templates, name)) return name as Template;
  const names = Object.keys(templates);
  const meant = closest(name, names);
  throw new TactusError(
    'usage',
    `There is no template ${name}${meant === null ? '' : `; is ${meant} meant?`} There are: ${names.join(', ')}`,
  );
}

/**
 * Begins a project with the files of a template, in a folder that is made where it isn't there.
 * @returns the files, below the folder
 * @throws TactusError usage naming what is there already; nothing is written then
 */
async function copyTemplate(template: Template, project: string): Promise<string[]> {
  const from = join(folder, template);
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1))
    .sort();
  const taken = await existing(project, files);
  if (taken.length > 0)
    throw new TactusError('usage', `${project} has ${taken.join(', ')} already: nothing was written`, {
      files: taken,
    });
  await mkdir(project, { recursive: true });
  for (const file of files) {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await copyFile(join(from, file), join(project, file), constants.COPYFILE_EXCL);
  }
  for (const { name, text } of [
    ignored,
    { name: forAgents.name, text: await readFile(forAgents.path, 'utf8') },
  ])
    if (await writeNew(join(project, name), text)) files.push(name);
  return files;
}

/** What a project has already stays. @returns whether it was written */
async function writeNew(file: string, text: string): Promise<boolean> {
  return writeFile(file, text, { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
}

async function existing(project: string, files: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    files.map((file) =>
      lstat(join(project, file)).then(
        () => [file],
        () => [],
      ),
    ),
  );
  return found.flat();
}

interface InitFlags {
  template: string;
  list?: boolean;
}

/** `init DIR`: a new project that runs and passes its tests. */
export function initCommand(): Command {
  return new Command('init')
    .description('create a project with a procedure, its data and its tests')
    .argument('[dir]', 'folder of the project, created if it does not exist', '.')
    .option('--template <name>', 'template to start from: see --list', 'approval')
    .option('--list', 'list the templates, and write nothing')
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
