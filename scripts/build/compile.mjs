import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bindGlobals } from './bind-globals.mjs';

/** What runs in workflows. */
const sandboxed = ['contract', 'log', 'lua-bridge', 'workflows'];

const generated = [join('lua-bridge', 'vm', 'fengari.generated'), join('language', 'language.generated')];

/**
 * Compiles src into a folder. The compiler leaves alone what is not TypeScript, so generated modules are
 * copied with their declarations.
 * @param {string} root
 * @param {string} out
 */
export async function compile(root, out) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = join(root, 'tsconfig.build.json');
  const { status } = spawnSync(process.execPath, [tsc, '-p', project, '--outDir', out], { stdio: 'inherit' });
  if (status !== 0) return false;
  for (const module of generated) {
    await mkdir(dirname(join(out, module)), { recursive: true });
    for (const ending of ['.js', '.d.ts'])
      await copyFile(join(root, 'src', module + ending), join(out, module + ending));
  }
  for (const folder of sandboxed) await bindGlobalsOf(join(out, folder));
  return true;
}

/** @param {string} folder */
async function bindGlobalsOf(folder) {
  const modules = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.js'));
  for (const module of modules) {
    const file = join(folder, module);
    await writeFile(file, bindGlobals(await readFile(file, 'utf8')));
  }
}
