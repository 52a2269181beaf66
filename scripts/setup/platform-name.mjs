/**
 * How the list of hashes names a platform. Linux with musl has a name of its own, because neither the
 * Temporal SDK nor the Node executables that we fetch run there.
 * @param {{ platform: string, arch: string, musl?: boolean }} machine
 */
export function platformName({ platform, arch, musl = false }) {
  return `${platform}-${arch}${platform === 'linux' && musl ? '-musl' : ''}`;
}

/** The platform that this process runs on. */
export function thisPlatform() {
  return platformName({ platform: process.platform, arch: process.arch, musl: runsOnMusl() });
}

export function runsOnMusl() {
  if (process.platform !== 'linux') return false;
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (
    process.report?.getReport() ?? {}
  );
  return report.header !== undefined && report.header.glibcVersionRuntime === undefined;
}
