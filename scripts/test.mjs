/** `npm test`: set-up, build, then the tests, with what was given after `--` passed on to vitest. */
import { join } from 'node:path';
import { asCommand } from './setup/as-command.mjs';
import { builtForTests } from './built-for-tests.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';

await asCommand(async () => {
  const { node, exitCode } = await builtForTests();
  if (exitCode !== 0) return exitCode;
  const vitest = join(projectFolder, 'node_modules', 'vitest', 'vitest.mjs');
  return runInForeground(node, [vitest, 'run', ...process.argv.slice(2)]);
});
