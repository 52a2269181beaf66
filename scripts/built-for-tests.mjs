import { join } from 'node:path';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';
import { setUp } from './setup/set-up.mjs';

/**
 * Sets up and builds what tests take.
 * @returns {Promise<{ node: string, exitCode: number }>} the Node that runs them, and how the build ended
 */
export async function builtForTests() {
  const { node } = await setUp({ forTests: true });
  const exitCode = await runInForeground(node, [join(projectFolder, 'scripts', 'build.mjs'), '--package']);
  return { node, exitCode };
}
