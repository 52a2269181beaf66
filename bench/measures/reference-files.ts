import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

interface Packages {
  python: string;
  packages: string;
}

/**
 * What the `FileStorage` of the reference takes to save a record with one entry more, as it does at each checkpoint; medians in ms.
 * @throws Error where the set-up for tests (`npm test`) hasn't got the reference
 */
export async function measureReferenceFiles(folder: string): Promise<{ short: number; long: number }> {
  const { pythonPackages, tactusControl, lupa } = JSON.parse(
    readFileSync(inRoot('.toolchain/paths.json'), 'utf8'),
  ) as Record<string, Packages | null | undefined>;
  if (pythonPackages == null || tactusControl == null || lupa == null)
    throw new Error('The reference is missing: `npm test` fetches it');
  const path = [inRoot('test/python'), pythonPackages.packages, tactusControl.packages, lupa.packages];
  const printed = execFileSync(pythonPackages.python, [inRoot('bench/reference_files.py'), folder], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: path.join(delimiter), PYTHONDONTWRITEBYTECODE: '1' },
  });
  return JSON.parse(printed) as { short: number; long: number };
}
