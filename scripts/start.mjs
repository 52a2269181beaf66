/** `npm start`: set-up, build, then the example, with what was given after `--` passed on. */
import { join } from 'node:path';
import { asCommand } from './setup/as-command.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';
import { setUp } from './setup/set-up.mjs';

await asCommand(async () => {
  const { node, temporal } = await setUp();
  if (temporal === null && !process.env['TEMPORAL_ADDRESS']) return 1;
  const built = await runInForeground(node, [join(projectFolder, 'scripts', 'build.mjs')]);
  if (built !== 0) return built;
  const cli = join(projectFolder, 'bin', 'tactus-temporal.mjs');
  return runInForeground(node, [cli, 'run', 'examples/review-triage.tac', ...process.argv.slice(2)]);
});
