import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { graphMermaid } from '../../../src/graph/graph-mermaid.js';
import { graphFile } from '../../../src/cli/procedures/graph-command.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

it.each([
  'examples/refund.tac',
  'examples/support-inbox.tac',
  'examples/older-dialect.tac',
  'examples/review-triage.tac',
  'examples/translations.tac',
  'examples/language/tasks.tac',
  'test/conformance/cases/q18-script-mode.tac',
])('%s is drawn as it was', async (name) => {
  const graphed = await graphFile(root + name);
  if (!('graph' in graphed)) throw new Error(JSON.stringify(graphed.diagnostics));
  const golden = name.replace(/^.*\//, '').replace('.tac', '.mmd');
  const drawn = `${graphMermaid(graphed.graph, graphed.entry)}\n`;
  await expect(drawn).toMatchFileSnapshot(fileURLToPath(new URL(`goldens/${golden}`, import.meta.url)));
});

it('the documentation shows one of them', () => {
  const [, shown] = /```mermaid\n([^]*?)```/.exec(readFileSync(`${root}docs/command-line.md`, 'utf8')) ?? [];
  expect(shown).toBe(readFileSync(new URL('goldens/refund.mmd', import.meta.url), 'utf8'));
});
