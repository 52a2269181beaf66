/** `npm run unit -- FILE`: unit tests on the sources as they are, without a build; those of what is built look at the last build. */
import { join } from 'node:path';
import { generate } from './build/generate.mjs';
import { asCommand } from './setup/as-command.mjs';
import { nodeStep } from './setup/node-step.mjs';
import { packagesStep } from './setup/packages-step.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';

await asCommand(async () => {
  const { node } = await nodeStep();
  await packagesStep(node);
  await generate(projectFolder);
  const vitest = join(projectFolder, 'node_modules', 'vitest', 'vitest.mjs');
  return runInForeground(node, [
    vitest,
    'run',
    '--project',
    'unit',
    '--project',
    'unit-alone',
    ...process.argv.slice(2),
  ]);
});
