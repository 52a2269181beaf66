import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { languageModule } from '../../../scripts/build/language.mjs';
import { language } from '../../../src/language/language.generated.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const project = resolve(import.meta.dirname, '../../..');

it('language.generated.js is what the build makes of types/, and nobody has edited it', () => {
  const file = join(project, 'src', 'language', 'language.generated.js');
  expect(readFileSync(file, 'utf8')).toBe(languageModule(project));
});

it('what is declared in types/ is in it', () => {
  const folder = temporaryFolder('language');
  cpSync(join(project, 'types'), join(folder, 'types'), { recursive: true });
  writeFileSync(
    join(folder, 'types', 'zebra.lua'),
    '---Stripes.\n---@param count integer\n---@return string\nfunction Zebra(count) end\n',
  );
  const text = languageModule(folder);
  expect(text).toContain('"Zebra"');
  expect(Object.keys(language.functions)).not.toContain('Zebra');
});
