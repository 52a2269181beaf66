/** The part of `npm run lint` that looks at Python: ruff, its layout too, and mypy. Where the set-up for tests has got neither, it says so. */
import { join } from 'node:path';
import { asCommand } from './setup/as-command.mjs';
import { readPaths } from './setup/paths.mjs';
import { projectFolder } from './setup/project-folder.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';

await asCommand(async () => {
  const { pythonPackages } = readPaths();
  if (!pythonPackages) {
    process.stderr.write('lint: Python is not looked at, the set-up for tests has no ruff and no mypy\n');
    return process.env['PYTHON_TEST'] === 'required' ? 1 : 0;
  }
  process.env['PYTHONPATH'] = pythonPackages.packages;
  process.chdir(join(projectFolder, 'python'));
  /** @param {string[]} args a module, and its arguments */
  const run = (...args) => runInForeground(pythonPackages.python, ['-m', ...args]);
  const own = ['.', join('..', 'test', 'python')];
  const isFormat = process.argv.includes('--write');
  if (isFormat) return run('ruff', 'format', '--quiet', ...own);
  const layout = await run('ruff', 'format', '--check', '--quiet', ...own);
  const rules = await run('ruff', 'check', '--quiet', ...own);
  return layout || rules || (await run('mypy'));
});
