import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applyEdits, generatedFile } from '../../../scripts/build/fengari.mjs';

describe('the built fengari', () => {
  const code = readFileSync(generatedFile, 'utf8');

  it.each([
    'child_process',
    'XMLHttpRequest',
    'luaopen_os',
    'luaopen_io',
    'luaopen_debug',
    'luaopen_package',
    'Math.random',
    'Date.now',
    'process.env',
    'globalThis',
    'eval(',
    'new Function',
    'sprintf-js',
  ])('holds no %s', (text) => {
    expect(code).not.toContain(text);
  });

  it('loads no other module', () => {
    expect(code).not.toMatch(/\brequire\(|\bimport\b/);
  });

  it('charges every instruction and holds the mended arithmetic', () => {
    expect(code).toContain('--g.fuel < g.fuelLimit');
    expect(code).toContain('9007199254740991');
  });
});

describe('applyEdits', () => {
  const source = 'let a = 1;\nlet b = 1;\n// end\n';

  it('replaces what it finds as often as expected', () => {
    expect(applyEdits('x.js', source, [{ find: '= 1', replace: '= 2', count: 2 }])).toBe(
      'let a = 2;\nlet b = 2;\n// end\n',
    );
    expect(applyEdits('x.js', source, [{ from: 'let b', to: '// end', replace: '' }])).toBe(
      'let a = 1;\n// end\n',
    );
    expect(
      applyEdits('x.js', source, [
        { every: /let (\w)/g, replace: (_all: string, name = '') => `const ${name}`, count: 2 },
      ]),
    ).toBe('const a = 1;\nconst b = 1;\n// end\n');
  });

  it.each([
    ['a text that is not there', { find: 'let c', replace: '' }, 'x.js: expected 1 times, found 0 times'],
    ['a text that is there too often', { find: '= 1', replace: '' }, 'x.js: expected 1 times, found 2 times'],
    [
      'what fits less often',
      { every: /let \w/g, replace: '', count: 3 },
      'x.js: expected 3 times, found 2 times',
    ],
    [
      'a range without its beginning',
      { from: 'let c', to: '// end', replace: '' },
      'x.js: nothing stands between',
    ],
    [
      'a range without its end',
      { from: 'let a', to: '// gone', replace: '' },
      'x.js: nothing stands between',
    ],
  ])('refuses %s', (_what, edit, message) => {
    expect(() => void applyEdits('x.js', source, [edit])).toThrow(message);
  });
});
