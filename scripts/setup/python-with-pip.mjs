import { runCommand } from './run-command.mjs';
import { SetUpError } from './set-up-error.mjs';

/** The Python that fetches wheels, by its name on PATH. */
export async function pythonWithPip() {
  let found = '';
  for (const python of ['python3', 'python']) {
    const version = await runCommand(python, ['--version'], { timeoutMs: 10_000 });
    if (version.code !== 0) continue;
    found ||= python;
    const pip = await runCommand(python, ['-m', 'pip', '--version'], { timeoutMs: 20_000 });
    if (pip.code === 0) return python;
  }
  if (!found) throw new SetUpError('there is no Python 3', 'Install Python 3 with pip.');
  throw new SetUpError(
    `${found} has no pip`,
    `Install pip: \`${found} -m ensurepip --user\`, or your system's package (\`apt-get install python3-pip\`).`,
  );
}
