import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from './run-command.mjs';
import { isAtLeast, parseVersion } from './version.mjs';

/**
 * The oldest server whose behaviour the project is tested for.
 * @type {import('./version.mjs').Version}
 */
const leastServer = [1, 29, 0];

/**
 * The version of the server inside a Temporal CLI, from what `temporal --version` prints.
 * @param {string} text
 */
function serverVersion(text) {
  const server = /\(Server ([^,)]+)/.exec(text)?.[1];
  return server === undefined ? undefined : parseVersion(server);
}

/** @param {string} text what `temporal --version` prints */
export function isGoodTemporal(text) {
  const version = serverVersion(text);
  return version !== undefined && isAtLeast(version, leastServer);
}

/** The Temporal CLI of the machine, when there is one that is new enough. */
export async function temporalOnPath() {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, process.platform === 'win32' ? 'temporal.exe' : 'temporal');
    if (!isExecutable(path)) continue;
    const { stdout } = await runCommand(path, ['--version'], { timeoutMs: 5_000 });
    if (isGoodTemporal(stdout)) return { path, version: stdout.trim().replace(/^temporal version /, '') };
  }
  return undefined;
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
