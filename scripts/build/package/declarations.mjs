import { rm } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/**
 * Rolls up the declarations of each entry of the package. What entries share is declared once: a class with private parts that were
 * declared twice would be two types.
 * @param {string} dist folder of the compiled files and their declarations
 * @param {string} out
 * @param {string[]} entries their declarations, in `dist`
 */
export async function rollDeclarations(dist, out, entries) {
  const bundle = await rollup({
    input: entries.map((entry) => join(dist, entry)),
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    plugins: [dts()],
    onLog: (level, { message }) => {
      // What an entry doesn't export can't be named by who uses it, as with declarations that aren't rolled up.
      if (level === 'warn' && !message.includes('private shared type exports'))
        throw new Error(`Declarations can't be rolled up: ${message}`);
    },
  });
  await rm(out, { recursive: true, force: true });
  await bundle.write({
    dir: out,
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `shared/${basename(name, '.d')}.d.ts`,
    minifyInternalExports: false,
  });
  await bundle.close();
}
