/**
 * @typedef {object} LockEntry
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {boolean} [optional]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 */
/** @typedef {{ packages?: Record<string, LockEntry> }} Lock */
/** @typedef {{ os: string, cpu: string, libc: string }} Machine */

/**
 * Whether what npm says it has installed is what the lock file asks for. Optional packages may be missing,
 * but not an executable for this machine: npm leaves one out when it runs under a Node that is too old for it.
 * @param {Lock} lock package-lock.json
 * @param {Lock} installed node_modules/.package-lock.json
 * @param {Machine} machine
 */
export function packagesMatchLock(lock, installed, machine) {
  const wanted = Object.entries(lock.packages ?? {}).filter(([place]) => place !== '');
  const there = installed.packages ?? {};
  if (Object.keys(there).some((place) => !(place in (lock.packages ?? {})))) return false;
  return wanted.every(([place, entry]) => {
    const found = there[place];
    if (!found) return entry.optional === true && !isMadeFor(entry, machine);
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/**
 * @param {LockEntry} entry
 * @param {Machine} machine
 */
function isMadeFor({ os, cpu, libc }, machine) {
  if (!os || !cpu) return false;
  return os.includes(machine.os) && cpu.includes(machine.cpu) && (!libc || libc.includes(machine.libc));
}
