import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { bindGlobals } from '../../../scripts/build/bind-globals.mjs';

describe('globals of a compiled module', () => {
  it('are constants of the module, on its first line', () => {
    expect(bindGlobals('import "x";\nexport const seen = new Map(Object.entries({}));\n')).toBe(
      'const { Map, Object } = globalThis; import "x";\nexport const seen = new Map(Object.entries({}));\n',
    );
  });

  it('are left alone where Temporal replaces them, where another thing has their name, and where there are none', () => {
    for (const text of [
      'export const now = Date.now();',
      'a.Map = b.Set(HashMap, Map$);',
      'setTimeout(go, 1);',
    ])
      expect(bindGlobals(text)).toBe(text);
  });

  it.each(['lua-bridge/vm/fengari.generated.js', 'workflows/run.js', 'contract/json/json.js'])(
    'are bound in %s',
    async (module) => {
      const text = await readFile(new URL(`../../../dist/${module}`, import.meta.url), 'utf8');
      expect(text.startsWith('const { ')).toBe(true);
    },
  );
});
