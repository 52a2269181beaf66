/** Says how large the package is, of what was bundled last: files, bytes as packed and on disk. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../setup/project-folder.mjs';
import { runNpm } from '../setup/run-npm.mjs';

const row = (/** @type {string} */ found) =>
  console.log(`${'files of the package, packed and on disk'.padEnd(42)} ${found}`);
const mb = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

if (existsSync(join(projectFolder, 'lib', '.stamp'))) {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
  const { code, stdout, stderr } = await runNpm(args, {
    node: process.execPath,
    cwd: projectFolder,
    timeoutMs: 60_000,
  });
  if (code !== 0) throw new Error(`npm could not pack: ${stderr}`);
  const [{ entryCount, size, unpackedSize }] = JSON.parse(stdout);
  row(`${entryCount}, ${mb(size)} and ${mb(unpackedSize)}`);
} else row('not bundled yet: npm run build -- --package');
