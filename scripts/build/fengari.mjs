/** Builds our fengari: the edited sources of the npm package in one module without Node, DOM or `require`. */
import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { edits } from './fengari-edits.mjs';

const require = createRequire(import.meta.url);
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const sources = join(dirname(require.resolve('fengari/package.json')), 'src');

export const generatedFile = join(root, 'src', 'lua-bridge', 'vm', 'fengari.generated.js');

/** What the bridge uses, and so all that the bundle holds. */
const entry = `
import lua from './lua.js';
import lauxlib from './lauxlib.js';
export { lua, lauxlib };
export { to_luastring, to_jsstring, share } from './defs.js';
export { luaopen_base } from './lbaselib.js';
export { luaopen_string } from './lstrlib.js';
export { luaopen_table } from './ltablib.js';
export { luaopen_math } from './lmathlib.js';
export { luaopen_utf8 } from './lutf8lib.js';
export { lua_number2str, lua_numbertointeger } from './luaconf.js';
export { work, charge, weigh, weighText, checkString } from './lstate.js';
export { Table, EMPTY, unfold } from './ltable.js';
export { power } from './lobject.js';
`;

/**
 * Applies the edits of one file.
 * @throws when a text to change is not there as often as expected: fengari has changed, or two edits collide
 */
export function applyEdits(file, text, list) {
  for (const edit of list) {
    if ('from' in edit) {
      const start = text.indexOf(edit.from);
      const end = text.indexOf(edit.to, start);
      if (start < 0 || end < 0)
        throw new Error(`${file}: nothing stands between "${edit.from}" and "${edit.to}"`);
      text = text.slice(0, start) + edit.replace + text.slice(end);
      continue;
    }
    if ('every' in edit) {
      const found = text.match(edit.every)?.length ?? 0;
      if (found !== edit.count)
        throw new Error(`${file}: expected ${edit.count} times, found ${found} times:\n${edit.every}`);
      text = text.replace(edit.every, edit.replace);
      continue;
    }
    const parts = text.split(edit.find);
    const expected = edit.count ?? 1;
    if (parts.length - 1 !== expected)
      throw new Error(`${file}: expected ${expected} times, found ${parts.length - 1} times:\n${edit.find}`);
    text = parts.join(edit.replace);
  }
  return text;
}

const editing = {
  name: 'fengari-edits',
  setup(builder) {
    builder.onLoad({ filter: /fengari[\\/]src[\\/].*\.js$/ }, async ({ path }) => {
      const file = basename(path);
      return { contents: applyEdits(file, await readFile(path, 'utf8'), edits[file] ?? []), loader: 'js' };
    });
  },
};

export async function buildFengari() {
  await build({
    stdin: { contents: entry, resolveDir: sources, sourcefile: 'fengari-entry.js' },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    outfile: generatedFile,
    define: {
      'process.env.FENGARICONF': JSON.stringify(JSON.stringify({ LUAI_MAXSTACK: 20000, LUA_IDSIZE: 200 })),
      process: 'undefined',
    },
    banner: {
      js: '/* Generated from fengari 0.1.5 (MIT, B. Giannangeli and Daurnimator) by scripts/build/fengari.mjs. */',
    },
    legalComments: 'none',
    plugins: [editing],
    logLevel: 'warning',
  });
}
