import { arithmetic } from './fengari-edits/arithmetic.mjs';
import { bySize } from './fengari-edits/by-size.mjs';
import { conformance } from './fengari-edits/conformance.mjs';
import { libraries } from './fengari-edits/libraries.mjs';
import { metering } from './fengari-edits/metering.mjs';
import { newerLibraries } from './fengari-edits/newer-libraries.mjs';
import { newerLua } from './fengari-edits/newer-lua.mjs';
import { speed } from './fengari-edits/speed.mjs';
import { strings } from './fengari-edits/strings.mjs';
import { tables } from './fengari-edits/tables.mjs';
import { templates } from './fengari-edits/templates.mjs';

/**
 * What our fengari does differently from fengari 0.1.5, spot by spot.
 *
 * An edit names a source file, the exact text it expects there, what stands there instead, and how often the
 * text must occur. The build fails when a count is off, so an upgrade of fengari can't lose a mend unseen.
 *
 * Ten things are changed:
 *  - integers are exact to 2^53 instead of wrapping at 32 bits,
 *  - strings are hashed and compared by their bytes (unpadded hex confused different strings),
 *  - the length of a list isn't searched for,
 *  - every instruction and allocation is charged to a meter in the global state,
 *  - what reads or makes much is charged for how much,
 *  - nothing but a Lua error can be caught by Lua,
 *  - where Lua 5.5 does otherwise than Lua 5.3, it does as Lua 5.5,
 *  - what the official tests of Lua found is mended, for runs of newer engines,
 *  - what V8 runs slowly is written otherwise,
 *  - what the tables of all states have in common is there once.
 */

/**
 * Either the exact text `find` (once, or `count` times), or all from `from` up to just before `to`, or what fits `every` (`count` times).
 * @typedef {{ find: string, replace: string, count?: number }
 *   | { from: string, to: string, replace: string }
 *   | { every: RegExp, replace: string | ((all: string, ...groups: string[]) => string), count: number }} Edit
 */

/** @type {Record<string, Edit[]>} */
export const edits = {};
for (const group of [
  arithmetic,
  strings,
  tables,
  metering,
  libraries,
  newerLua,
  newerLibraries,
  bySize,
  conformance,
  // Of the text as the others leave it.
  speed,
  templates,
])
  for (const [file, list] of Object.entries(group)) edits[file] = [...(edits[file] ?? []), ...list];
