import { createRequire } from 'node:module';

/** What of the SDK this package imports beside the worker, which brings them all. */
const names = ['activity', 'client', 'common', 'proto', 'workflow'];

/**
 * Versions of the SDK's packages as a module finds them, by name; null where one isn't found. Two of them can't work
 * together in one process.
 * @param from URL or path of the module
 */
export function sdkVersions(from: string): Record<string, string | null> {
  const found = names.map((name) => [name, versionOf(name, from)] as const);
  return Object.fromEntries([['worker', versionOf('worker', from)], ...found]);
}

/** @throws Error where there is no worker */
export function workerVersion(from: string): string {
  const version = versionOf('worker', from);
  if (version === null) throw new Error('@temporalio/worker is not installed');
  return version;
}

function versionOf(name: string, from: string): string | null {
  try {
    const described = createRequire(from)(`@temporalio/${name}/package.json`) as { version: string };
    return described.version;
  } catch {
    return null;
  }
}
