import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bindGlobals } from './bind-globals.mjs';

/** What runs in workflows. */
export const sandboxed = ['contract', 'log', 'lua-bridge', 'workflows'];

const generated = [join('lua-bridge', 'vm', 'fengari.generated'), join('language', 'language.generated')];

/**
 * Compiles each file of src into a folder, without a look at types: that is `npm run typecheck`, and `declare`.
 * @param {string} root
 * @param {string} out
 */
export async function compile(root, out) {
  const src = join(root, 'src');
  const files = await readdir(src, { recursive: true });
  await build({
    entryPoints: files.filter(isCompiled).map((file) => join(src, file)),
    outbase: src,
    outdir: out,
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    sourcemap: true,
    tsconfig: join(root, 'tsconfig.build.json'),
    logLevel: 'warning',
  });
  await copyGenerated(root, out, '.js');
  for (const folder of sandboxed) await bindGlobalsOf(join(out, folder));
}

/**
 * Writes the declarations of what was compiled. They are made in a folder of their own, where those stay of which nothing has changed.
 * @param {string} root
 * @param {string} out
 * @returns {Promise<boolean>} false where types don't fit
 */
export async function declare(root, out) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const made = join(root, '.toolchain', 'declarations');
  const compile = () =>
    spawnSync(
      process.execPath,
      [
        ...[tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', made],
        ...['--incremental', '--tsBuildInfoFile', join(made, '.tsbuildinfo')],
      ],
      { stdio: 'inherit' },
    );
  if (compile().status !== 0) return false;
  const files = (await readdir(join(root, 'src'), { recursive: true })).filter(isCompiled);
  const declarations = files.map((file) => file.replace(/\.ts$/, '.d.ts'));
  if (!declarations.every((declaration) => existsSync(join(made, declaration)))) {
    // A compilation that was cut short has noted what it never wrote.
    await rm(made, { recursive: true, force: true });
    if (compile().status !== 0) return false;
  }
  for (const declaration of declarations) await copyFile(join(made, declaration), join(out, declaration));
  await copyGenerated(root, out, '.d.ts');
  return true;
}

/** @param {string} file below src; the page and the playground have builds of their own */
function isCompiled(file) {
  return file.endsWith('.ts') && !file.endsWith('.d.ts') && !/^(page|playground)[\\/]/.test(file);
}

/**
 * The compilers leave alone what is not TypeScript.
 * @param {string} root
 * @param {string} out
 * @param {'.js' | '.d.ts'} ending
 */
async function copyGenerated(root, out, ending) {
  for (const module of generated) {
    await mkdir(dirname(join(out, module)), { recursive: true });
    await copyFile(join(root, 'src', module + ending), join(out, module + ending));
  }
}

/** @param {string} folder */
async function bindGlobalsOf(folder) {
  const modules = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.js'));
  for (const module of modules) {
    const file = join(folder, module);
    await writeFile(file, bindGlobals(await readFile(file, 'utf8')));
  }
}
