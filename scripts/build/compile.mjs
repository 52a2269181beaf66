import { spawnSync } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const generated = join('lua-bridge', 'vm', 'fengari.generated');

/**
 * Compiles src into a folder. The compiler leaves alone what is not TypeScript, so the generated module is
 * copied with its declarations.
 * @param {string} root
 * @param {string} out
 */
export async function compile(root, out) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = join(root, 'tsconfig.build.json');
  const { status } = spawnSync(process.execPath, [tsc, '-p', project, '--outDir', out], { stdio: 'inherit' });
  if (status !== 0) return false;
  await mkdir(dirname(join(out, generated)), { recursive: true });
  for (const ending of ['.js', '.d.ts']) {
    await copyFile(join(root, 'src', generated + ending), join(out, generated + ending));
  }
  return true;
}
