import { SetUpError } from './set-up-error.mjs';

/**
 * Ends the process with the exit code of what it does. What the set-up could not get has been said already.
 * @param {() => Promise<number>} work
 */
export async function asCommand(work) {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    process.exitCode = 1;
  }
}
