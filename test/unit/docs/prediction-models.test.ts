import { describe, expect, it } from 'vitest';
import { validateSource } from '../../../src/validation/index.js';
import { codeBlocks } from '../../support/code-blocks.js';
import { procedureSource } from '../../support/procedure-source.js';

describe('the page on prediction models', () => {
  it.each(codeBlocks('docs/prediction-models.md', 'lua'))('has Lua in which no error is found', (text) => {
    const whole = text.includes('Procedure {') ? text : `${text}\nProcedure { function() return 1 end }`;
    const errors = validateSource(procedureSource(whole)).diagnostics.filter(
      ({ severity }) => severity === 'error',
    );
    expect(errors).toEqual([]);
  });
});
