import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readPaths } from '../setup/paths.mjs';
import { contentHash } from './content-hash.mjs';

const build = `
import sys
packages, folder = sys.argv[1:]
sys.path.insert(0, packages)
from flit_core.buildapi import build_wheel
print(build_wheel(folder))
`;

/**
 * The wheel of the package for Python, in `python/dist`, when its sources have changed.
 * @param {string} root
 * @returns {Promise<string | null>} its name; null where the set-up has got nothing to build it with
 */
export async function buildPythonWheel(root) {
  const { pythonPackages } = readPaths();
  if (!pythonPackages || !existsSync(pythonPackages.packages)) return null;
  const folder = join(root, 'python', 'dist');
  const stampFile = join(folder, '.stamp');
  const parts = ['pyproject.toml', 'README.md', 'LICENSE', 'src'].map((name) => `python/${name}`);
  const stamp = await contentHash(root, parts, (file) => !file.endsWith('.pyc'));
  if (existsSync(stampFile)) {
    const [built = '', name = ''] = readFileSync(stampFile, 'utf8').split('\n');
    if (built === stamp && existsSync(join(folder, name))) return name;
  }
  const draft = `${folder}-${process.pid}`;
  await mkdir(draft);
  try {
    const { stdout } = await promisify(execFile)(
      pythonPackages.python,
      ['-c', build, pythonPackages.packages, draft],
      // Equal sources make equal wheels.
      { cwd: join(root, 'python'), env: { ...process.env, SOURCE_DATE_EPOCH: '1577836800' } },
    );
    const name = stdout.trim();
    await writeFile(join(draft, '.stamp'), `${stamp}\n${name}`);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    return name;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
