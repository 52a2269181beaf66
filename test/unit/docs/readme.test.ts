import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { checkStart } from '../../../src/client/procedures/describe-source.js';
import { codeBlocks } from '../../support/code-blocks.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

it('the procedure of the README can be started', () => {
  const [text = ''] = codeBlocks('README.md', 'lua');
  const source = { entry: 'deploy.tac', files: { 'deploy.tac': text } };
  expect(() => checkStart(source, { changes: 'Faster start' })).not.toThrow();
  expect(() => checkStart(source, {})).toThrow('changes');
});

it.each(codeBlocks('docs/tools.md', 'lua'))('the procedures of the page of tools can be started', (text) => {
  expect(() => checkStart({ entry: 'tools.tac', files: { 'tools.tac': text } }, {})).not.toThrow();
});

it('the TypeScript of the documents fits what the package exports', () => {
  // Inside the project, where the packages are found.
  const folder = temporaryFolder('readme', join(root, '.toolchain'));
  const blocks = [
    ...codeBlocks('README.md', 'ts'),
    ...codeBlocks('docs/package.md', 'ts'),
    ...codeBlocks('docs/tools.md', 'ts'),
  ];
  const files = blocks.map((code, i) => {
    const file = join(folder, `block-${i}.mts`);
    writeFileSync(file, code);
    return file;
  });
  expect(files.length).toBeGreaterThanOrEqual(4);
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    paths: {
      'tactus-temporal': [join(root, 'src', 'index.ts')],
      'tactus-temporal/*': [join(root, 'src', '*.ts')],
    },
  });
  const problems = ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file?.fileName.startsWith(folder) === true)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  expect(problems).toEqual([]);
}, 120_000);
