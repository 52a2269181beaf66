/**
 * `npm run bench -- lua`: pure Lua in the bridge against the Lua of the reference, program by program. Effects are
 * stood in for by functions of Lua in both, so that only Lua is measured.
 */
import { lupaPaths } from '../test/support/lupa-paths.ts';
import { measureLua } from './measures/lua.ts';
import { printTable } from './measures/compare.ts';

const lupa = lupaPaths();
if (lupa === null) {
  console.error('There is no lupa here to compare with: npm test says why.');
  process.exit(1);
}
const { cases, generated, loading, parts } = await measureLua(lupa);
for (const rows of [cases, generated, loading]) {
  printTable(['bridge', 'reference'], rows);
  console.log();
}
for (const { name, of } of parts) console.log(`${name} is a part of ${of}, and counted there.`);
process.exit(0);
