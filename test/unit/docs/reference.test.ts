import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

const pagesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    globSync('**/*.md', { cwd: folder }).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

it('docs/reference says what the code exports: npm run reference', async () => {
  const made = temporaryFolder('reference');
  await run(process.execPath, ['node_modules/typedoc/bin/typedoc', '--out', made], { cwd: root });
  expect(pagesIn(join(root, 'docs/reference'))).toEqual(pagesIn(made));
}, 400_000);
