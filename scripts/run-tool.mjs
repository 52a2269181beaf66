/** Runs a tool of an installed package with the project's Node: `node scripts/run-tool.mjs eslint/bin/eslint.js .`. */
import { join } from 'node:path';
import { asCommand } from './setup/as-command.mjs';
import { nodeStep } from './setup/node-step.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';

await asCommand(async () => {
  const { node } = await nodeStep();
  const [tool = '', ...args] = process.argv.slice(2);
  return runInForeground(node, [join(projectFolder, 'node_modules', tool), ...args]);
});
