import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { languagePage } from '../../support/language-page.js';

const project = resolve(import.meta.dirname, '../../..');
const types = join(project, 'types');

/** Renewed by `npm test -- test/unit/language/language-page -u`. */
it('docs/language.md says what types/ says', async () => {
  const files = ['', 'lua'].flatMap((folder) =>
    readdirSync(join(types, folder))
      .filter((name) => name.endsWith('.lua'))
      .sort()
      .map((name) => join(folder, name).replaceAll('\\', '/')),
  );
  const topics = files.map((file) => {
    const [, title = file] = /^-- (.+?)\.?$/m.exec(readFileSync(join(types, file), 'utf8')) ?? [];
    return { file, title };
  });
  await expect(languagePage(topics)).toMatchFileSnapshot(join(project, 'docs', 'language.md'));
});
