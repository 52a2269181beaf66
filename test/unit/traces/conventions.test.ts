import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../../../src');

it('names of attributes stand in one file', () => {
  const files = globSync('**/*.ts', { cwd: source }).filter((file) =>
    /'gen_ai\.|'tactus\.(run|position|checkpoint|decision)/.test(readFileSync(join(source, file), 'utf8')),
  );
  expect(files).toEqual(['traces/conventions.ts']);
});
