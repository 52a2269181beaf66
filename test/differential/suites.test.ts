import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lupaPaths, type LupaPaths } from '../support/lupa-paths.js';
import { runInBridge } from './bridge-lua.js';
import { differences } from './compare.js';
import { knownDifference, knownDifferences } from './known-differences.js';
import { ownDifferences } from './own-differences.js';
import { sourceOf } from './random-program.js';
import { ReferenceLua } from './reference-lua.js';
import { control } from './suites/control.js';
import { coroutines } from './suites/coroutines.js';
import { errors } from './suites/errors.js';
import { functions } from './suites/functions.js';
import { metamethods } from './suites/metamethods.js';
import { numbers } from './suites/numbers.js';
import { packing } from './suites/packing.js';
import { patterns } from './suites/patterns.js';
import { refused } from './suites/refused.js';
import { strings } from './suites/strings.js';
import { tables } from './suites/tables.js';
import { utf8 } from './suites/utf8.js';

const suites = {
  numbers, packing, strings, patterns, functions, control, coroutines, errors, metamethods, tables, utf8,
}; // prettier-ignore

/** `why` calls, and gives the error, or what there was else. */
const why =
  'local function why(...) local r = table.pack(pcall(...)) if r[1] then return {"fine", table.unpack(r, 2, r.n)} end return r[2] end ';
const suiteOf = (statements: readonly string[]): string => `${why}${sourceOf(statements)}`;

const known = [...knownDifferences, ...ownDifferences];

const lupa = lupaPaths();
const required = process.env['DIFFERENTIAL_TEST'] === 'required';

/** Here against the Lua that the reference has, with the libraries of Lua itself. */
describe.skipIf(lupa === null && !required)('what the official tests of Lua look at', () => {
  let reference: ReferenceLua;
  beforeAll(() => {
    expect(lupa, 'the set-up got no lupa').not.toBeNull();
    reference = new ReferenceLua(lupa as LupaPaths);
  });
  afterAll(() => reference.stop());

  it.each(Object.entries(suites))('is the same in %s', { timeout: 120_000 }, async (_, statements) => {
    const source = suiteOf(statements);
    const theirs = reference.runOwn(source);
    const ours = runInBridge(source);
    expect(ours.error).toBeNull();
    const wrong = differences(ours, await theirs).flatMap(({ statement, ours, theirs }) => {
      const text = statement === null ? source : (statements[statement - 1] ?? '');
      return knownDifference({ statement, ours, theirs }, text, known)
        ? []
        : [`${text}\nhere:\n${ours}\nthere:\n${theirs}\n`];
    });
    expect(wrong.join('\n')).toBe('');
  });

  it('is refused in the same words', { timeout: 120_000 }, async () => {
    const wrong: string[] = [];
    for (const text of refused) {
      const source = `do return true end\n${text}\n`;
      const ours = runInBridge(source);
      const [difference] = differences(ours, await reference.runOwn(source));
      if (difference !== undefined && knownDifference(difference, text, known) === undefined)
        wrong.push(`${text.slice(0, 200)}\nhere:\n${difference.ours}\nthere:\n${difference.theirs}\n`);
    }
    expect(wrong.join('\n')).toBe('');
  });

  it.each(ownDifferences)('differs, as known, in $what', async (meant) => {
    const source = suiteOf([meant.example]);
    const [difference] = differences(runInBridge(source), await reference.runOwn(source));
    expect(difference && knownDifference(difference, meant.example, ownDifferences)).toBe(meant);
  });
});
