import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { runCommand, whyItFailed } from '../run-command.mjs';
import { SetUpError } from '../set-up-error.mjs';

/** Where Go's own archive is unpacked to, for those who don't have it on PATH. */
const usualFolder = '/usr/local/go/bin';

/** @typedef {(command: string, ...args: string[]) => Promise<string>} Run a command and its arguments; what it says */

/**
 * Lets commands of Go, and those that it has installed into the folder, run in it. What they fetch and compile besides is removed.
 * @param {string} folder
 * @param {(run: Run) => Promise<void>} build
 */
export async function withGo(folder, build) {
  const go = goProgram();
  const scratch = join(folder, 'scratch');
  const env = {
    ...process.env,
    ...{ GOPATH: join(scratch, 'path'), GOCACHE: join(scratch, 'cache'), GOBIN: folder },
    // What is only read could not be removed.
    ...{ GOFLAGS: '-modcacherw -trimpath', CGO_ENABLED: '0', GOTOOLCHAIN: 'auto' },
    PATH: [join(go, '..'), process.env['PATH'] ?? ''].join(delimiter),
  };
  await build(async (command, ...args) => {
    const program = command === 'go' ? go : join(folder, command);
    const result = await runCommand(program, args, { timeoutMs: 1_200_000, cwd: folder, env });
    if (result.code === 0) return result.stdout;
    throw new SetUpError(
      `${command} ${args[0]} failed: ${whyItFailed(result)}`,
      'Go 1.21 or newer has to reach its module proxy.',
    );
  });
  await rm(scratch, { recursive: true });
}

function goProgram() {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), usualFolder];
  const found = folders.map((folder) => join(folder, 'go')).find((path) => existsSync(path));
  if (found === undefined) throw new SetUpError('there is no Go here', 'Install Go 1.21 or newer.');
  return found;
}
