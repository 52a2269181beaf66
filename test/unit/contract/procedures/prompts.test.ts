import { describe, expect, it } from 'vitest';
import { promptsFile, promptsOf, withPrompts } from '../../../../src/contract/procedures/prompts.js';
import { assertLoads } from '../../../../src/lua-bridge/index.js';
import { outputOf } from '../../../support/fake-host.js';

const source = (code: string, files: Record<string, string> = {}) => ({
  entry: 'main.tac',
  files: { 'main.tac': code, ...files },
});
const telling =
  'Procedure { function() return Prompt("tone", "kind") .. prompt("end") end } prompt("end", "!")';

describe('prompts apart from code', () => {
  it.each([
    ['review.tac', 'review.prompts.json'],
    ['support/triage.tactus.lua', 'support/triage.prompts.json'],
    ['old.lua', 'old.prompts.json'],
  ])('of %s lie in %s', (entry, file) => {
    expect(promptsFile(entry)).toBe(file);
  });

  it('take the place of all that were there, and leave those of the code', () => {
    const first = withPrompts(source(telling), { tone: 'brief', end: '?' });
    expect(outputOf('', { source: first })).toBe('brief?');
    const then = withPrompts(first, { end: '.' });
    expect(promptsOf(then)).toEqual({ end: '.' });
    expect(outputOf('', { source: then })).toBe('kind.');
  });

  it.each(['{"tune": "brief"}', '{"__proto__": "brief"}', '{"tone": null}', '"tone"', 'tone'])(
    'are refused where they can be none of the source: %s',
    (text) => {
      expect(() => assertLoads(source(telling, { 'main.prompts.json': text }))).toThrow('main.prompts.json');
    },
  );

  it('of an older engine are those of the code', () => {
    const both = withPrompts(source(telling), { tone: 'brief' });
    expect(outputOf('', { source: both, engine: 9 })).toBe('kind!');
  });
});
