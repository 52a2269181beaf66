import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { packagesMatchLock } from './packages-match-lock.mjs';
import { runsOnMusl } from './platform-name.mjs';
import { projectFolder } from './project-folder.mjs';
import { say } from './report.mjs';
import { whyItFailed } from './run-command.mjs';
import { runNpm } from './run-npm.mjs';
import { SetUpError } from './set-up-error.mjs';

const machine = { os: process.platform, cpu: process.arch, libc: runsOnMusl() ? 'musl' : 'glibc' };

/**
 * Installs the npm packages of a lock file, unless they are there.
 * @param {string} node
 * @param {string} [folder] of package.json
 */
export async function packagesStep(node, folder = projectFolder) {
  const lock = await readJson(folder, 'package-lock.json');
  const count = `${Object.keys(lock.packages).length - 1} in the lock file`;
  if (await areInstalled(folder, lock)) return { detail: count };
  const [what, where] =
    folder === projectFolder ? ['packages', ''] : [`${basename(folder)} packages`, ` in ${basename(folder)}`];
  say(`set-up ${what.padEnd(15)} installing, which can take a minute …`);
  const install = await runNpm(['ci', '--include=dev', '--ignore-scripts'], {
    node,
    cwd: folder,
    timeoutMs: 900_000,
  });
  if (install.code === 0) return { detail: count, made: true };
  throw new SetUpError(
    `npm could not install the ${what}: ${whyItFailed(install)}`,
    `Run \`npm ci\`${where} to see all that it says.`,
  );
}

/** @param {string} folder @param {import('./packages-match-lock.mjs').Lock} lock */
async function areInstalled(folder, lock) {
  try {
    const installed = await readJson(folder, 'node_modules', '.package-lock.json');
    const { dependencies, devDependencies } = await readJson(folder, 'package.json');
    // npm's own list does not notice a folder that was deleted by hand.
    const names = Object.keys({ ...dependencies, ...devDependencies });
    const complete = names.every((name) => existsSync(join(folder, 'node_modules', name, 'package.json')));
    return complete && packagesMatchLock(lock, installed, machine);
  } catch {
    return false;
  }
}

/** @param {string[]} path */
async function readJson(...path) {
  return JSON.parse(await readFile(join(...path), 'utf8'));
}
