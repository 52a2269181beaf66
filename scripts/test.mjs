/** `npm test`: set-up, build, then the tests, with what was given after `--` passed on to vitest. */
import { join } from 'node:path';
import { asCommand } from './setup/as-command.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';
import { setUp } from './setup/set-up.mjs';

await asCommand(async () => {
  const { node } = await setUp({ forTests: true });
  const built = await runInForeground(node, [join(projectFolder, 'scripts', 'build.mjs'), '--types']);
  if (built !== 0) return built;
  const vitest = join(projectFolder, 'node_modules', 'vitest', 'vitest.mjs');
  return runInForeground(node, [vitest, 'run', ...process.argv.slice(2)]);
});
