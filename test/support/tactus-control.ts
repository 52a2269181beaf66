import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The command that is `tactus control` of the reference, as the set-up got it; null where it could not be had. */
export function tactusControl(): string[] | null {
  const file = new URL('../../.toolchain/paths.json', import.meta.url);
  const { tactusControl: found } = JSON.parse(readFileSync(file, 'utf8')) as {
    tactusControl?: { python: string; packages: string } | null;
  };
  if (found == null) return null;
  const script = fileURLToPath(new URL('tactus-control.py', import.meta.url));
  return [found.python, script, found.packages, 'control'];
}
