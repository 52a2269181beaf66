import { SetUpError } from './set-up-error.mjs';

/**
 * @typedef {object} Outcome
 * @property {string} detail the version, or where it was found
 * @property {boolean} [made] whether something was fetched or installed
 * @property {number} [bytes] how large it is
 */

const indent = ' '.repeat(22);

/**
 * Says on stderr what a step does: stdout belongs to the command that needs the set-up.
 * @param {string} text
 */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * Runs one step and says in one line what came of it.
 * @template {Outcome} T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {{ quiet?: boolean }} [options] `quiet`: says nothing where all was there already
 * @returns {Promise<T>}
 */
export async function step(name, work, { quiet = false } = {}) {
  const start = performance.now();
  try {
    const outcome = await work();
    if (outcome.made || !quiet) say(stepLine(name, outcome, performance.now() - start));
    return outcome;
  } catch (error) {
    const { message, advice } = asSetUpError(error);
    say(stepLine(name, { detail: `MISSING: ${message}` }));
    say(`${indent}${advice}`);
    throw asSetUpError(error);
  }
}

/**
 * A step that the rest can do without.
 * @template {Outcome} T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {string} missed what is missed without it
 * @returns {Promise<T | null>} null when it can't be had
 */
export async function optionalStep(name, work, missed) {
  try {
    return await step(name, work);
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    say(`${indent}Going on without: ${missed}`);
    return null;
  }
}

/**
 * @param {string} name
 * @param {Outcome} outcome
 * @param {number} [ms]
 */
export function stepLine(name, { detail, made = false, bytes }, ms = 0) {
  const size = bytes === undefined ? '' : `${Math.round(bytes / 1e6)} MB, `;
  return `set-up ${name.padEnd(14)} ${detail}${made ? ` (fetched, ${size}${(ms / 1000).toFixed(1)} s)` : ''}`;
}

/**
 * A full disk or a folder that can't be written is for the person to mend, as a missing program is; anything
 * else is a fault of ours and keeps its stack.
 * @param {unknown} error
 */
function asSetUpError(error) {
  if (error instanceof SetUpError) return error;
  if (!(error instanceof Error) || !('syscall' in error)) throw error;
  return new SetUpError(error.message, 'See that the folder can be written and that there is disk space.');
}
