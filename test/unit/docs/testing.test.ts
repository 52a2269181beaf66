import { describe, expect, it } from 'vitest';
import { builtInSteps, matchStep } from '../../../src/testing/specifications/match-step.js';
import { outputOf } from '../../support/fake-host.js';
import { codeBlocks } from '../../support/code-blocks.js';

const documented = codeBlocks('docs/testing.md', 'gherkin')
  .flatMap((block) => block.split('\n'))
  .filter((line) => line !== '')
  .map((line) => line.replace(/^(Given|When|Then) /, ''));

describe('the page on testing', () => {
  it.each(documented)('has a step that is there: %s', (step) => {
    expect(matchStep(step, []).kind).toBe('built-in');
  });

  it('has every step that is there', () => {
    // What goes for the output's keys goes for the whole, for the state and for the stop reason.
    const shared = /^the (output|state|stop reason) ?(\(\?!should\))?(\(\\w\+\))? should/;
    const missing = builtInSteps
      .map(({ pattern }) => pattern.source)
      .filter((source) => !shared.test(source))
      .filter((source) => !documented.some((step) => new RegExp(`^${source}$`).test(step)));
    expect(missing).toEqual([]);
    const ofKeys = builtInSteps
      .map(({ pattern }) => pattern.source)
      .filter((source) => source.startsWith('the output (?!'));
    expect(
      ofKeys.filter((source) => !documented.some((step) => new RegExp(`^${source}$`).test(step))),
    ).toEqual([]);
  });

  it.each(codeBlocks('docs/testing.md', 'lua'))('has Lua that loads', (text) => {
    expect(outputOf(`${text}\nProcedure { function() return 1 end }`)).toBe(1);
  });
});
