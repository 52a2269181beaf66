/** @typedef {readonly [number, number, number]} Version */

/**
 * The first version number in a text, such as `v20.20.2` or `temporal version 1.9.1 (Server 1.32.0)`.
 * @param {string} text
 * @returns {Version | undefined}
 */
export function parseVersion(text) {
  const found = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  return found ? [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)] : undefined;
}

/**
 * @param {Version} version
 * @param {Version} least
 */
export function isAtLeast(version, least) {
  for (const part of /** @type {const} */ ([0, 1, 2])) {
    if (version[part] !== least[part]) return version[part] > least[part];
  }
  return true;
}
