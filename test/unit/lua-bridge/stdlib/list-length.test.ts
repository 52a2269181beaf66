import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runFake } from '../../../support/fake-host.js';

// Which keys a table got and lost on its way must not show in its length.
const keys = fc.oneof(
  fc.integer({ min: -1, max: 6 }).map(String),
  fc.constantFrom('2.0', '"x"', 'true', '2.5'),
);
const changes = fc.array(fc.record({ key: keys, gone: fc.boolean() }), { maxLength: 30 });

it('the length of a table depends on what it holds alone', () => {
  fc.assert(
    fc.property(changes, (list) => {
      const held = new Set<string>();
      for (const { key, gone } of list) held[gone ? 'delete' : 'add'](key === '2.0' ? '2' : key);
      const done = list.map(({ key, gone }) => `t[${key}] = ${gone ? 'nil' : 'true'}`);
      const made = [...held].sort().map((key) => `made[${key}] = true`);
      const { program } = runFake(
        [`local t, made = {}, {}`, ...done, ...made, 'print(#t, #made) return true'].join('\n'),
      );
      const [text = ''] = program.shown.flatMap((line) => (line.kind === 'print' ? [line.text] : []));
      const [length = 0, afresh] = text.split('\t').map(Number);
      expect(length).toBe(afresh);
      expect(length === 0 || held.has(`${length}`)).toBe(true);
      expect(held.has(`${length + 1}`)).toBe(false);
    }),
    { numRuns: 300 },
  );
});
