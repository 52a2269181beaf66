/**
 * The executables of Temporal that the set-up gets.
 * @typedef {object} Executable
 * @property {string} name its name in the list of hashes, and its file name
 * @property {'createLocal' | 'createTimeSkipping'} environment the SDK's test environment that downloads it
 */

/** @type {Executable} */
export const temporalCli = { name: 'temporal', environment: 'createLocal' };

/** @type {Executable} */
export const temporalTestServer = { name: 'temporal-test-server', environment: 'createTimeSkipping' };
