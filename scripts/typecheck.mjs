/** `npm run typecheck`: all of the project, then the rooms that must do without Node's types, the page, and the set-up. */
import { join } from 'node:path';
import { asCommand } from './setup/as-command.mjs';
import { nodeStep } from './setup/node-step.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';

await asCommand(async () => {
  const { node } = await nodeStep();
  const tsc = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  let failed = 0;
  for (const project of [
    'tsconfig.json',
    'tsconfig.sandbox.json',
    join('src', 'page', 'tsconfig.json'),
    join('scripts', 'setup', 'tsconfig.json'),
  ]) {
    failed ||= await runInForeground(node, [tsc, '--noEmit', '-p', join(projectFolder, project)]);
  }
  return failed;
});
