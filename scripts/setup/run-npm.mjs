import { npmCommand } from './npm-command.mjs';
import { runCommand } from './run-command.mjs';
import { SetUpError } from './set-up-error.mjs';

/** So that a registry that can't be reached is known after seconds, not minutes. */
const bounds = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

/**
 * Runs npm to its end.
 * @param {readonly string[]} args
 * @param {{ node: string, cwd: string, timeoutMs: number }} options
 */
export async function runNpm(args, { node, cwd, timeoutMs }) {
  const npm = npmCommand(node);
  const quiet = ['--loglevel=error', '--no-progress', ...bounds];
  const result = await runCommand(npm.command, [...npm.args, ...args, ...quiet], {
    timeoutMs,
    cwd,
    env: npm.env,
  });
  if (result.notFound) throw new SetUpError('there is no npm', 'Install npm, which comes with Node.js.');
  return result;
}
