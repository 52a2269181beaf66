import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Licences that let anybody use the package as its own does (MIT). MPL-2.0 holds for the files of a formatter that is run, not linked. */
const allowed = [
  'MIT',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'MPL-2.0',
];

interface Locked {
  license?: string;
  dev?: boolean;
}

/** `(AFL-2.1 OR BSD-3-Clause)` is allowed where one of them is, `AND` where all are. */
function isAllowed(licence: string): boolean {
  const alternatives = licence.replaceAll(/[()]/g, '').split(' OR ');
  return alternatives.some((each) => each.split(' AND ').every((name) => allowed.includes(name)));
}

it('every package that users install has a licence that the page on security names', () => {
  const lock = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  expect(installed.length).toBeGreaterThan(20);
  const others = installed.filter(([, { license = 'none' }]) => !isAllowed(license));
  expect(others.map(([path, { license }]) => `${path}: ${license ?? 'none'}`)).toEqual([]);
  const page = readFileSync(new URL('../../../docs/production/security.md', import.meta.url), 'utf8');
  for (const name of allowed) expect(page).toContain(name);
});
