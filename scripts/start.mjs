/** `npm start`: set-up, build, then the example, with what was given after `--` passed on. */
import { join } from 'node:path';
import { asCommand } from './setup/as-command.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { say } from './setup/report.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';
import { setUp } from './setup/set-up.mjs';

await asCommand(async () => {
  const { node, temporal } = await setUp();
  if (temporal === null && !process.env['TEMPORAL_ADDRESS']) return 1;
  const built = await runInForeground(node, [join(projectFolder, 'scripts', 'build.mjs')]);
  if (built !== 0) return built;
  const cli = join(projectFolder, 'bin', 'tactus-temporal.mjs');
  const given = process.argv.slice(2);
  return runInForeground(node, [cli, 'run', 'examples/review-triage.tac', ...given, ...ownAnswer(given)]);
});

/**
 * Where nobody can be asked, the example's one question is answered here, and said so.
 * @param {readonly string[]} given
 */
function ownAnswer(given) {
  const canAsk = process.stdin.isTTY && process.stderr.isTTY;
  if (canAsk || given.some((flag) => flag.startsWith('--respond') || flag === '--detach')) return [];
  say('There is no terminal to ask at: the approval is answered with --respond true.');
  return ['--respond', 'true'];
}
