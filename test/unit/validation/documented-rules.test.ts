import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TactusError } from '../../../src/contract/errors.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { describeTests, specifiedTexts } from '../../../src/testing/specifications/declared-tests.js';
import { checkSpecifications } from '../../../src/testing/specifications/validate-with-tests.js';
import { validateSource, type Diagnostic } from '../../../src/validation/index.js';
import type { Rule } from '../../../src/validation/rule.js';
import { rules } from '../../../src/validation/validate-source.js';

/** Those of a procedure that has no feature file beside it. */
async function specificationProblems(source: ProcedureSource): Promise<Diagnostic[]> {
  try {
    const declared = describeTests(source);
    const texts = await specifiedTexts('/nowhere', source, declared);
    return checkSpecifications(source.entry, declared.steps, texts);
  } catch (error) {
    if (error instanceof TactusError) return [];
    throw error;
  }
}

it('every rule of the folder is in the list, and each code is there once', async () => {
  const folder = new URL('../../../src/validation/rules/', import.meta.url);
  const files = readdirSync(folder).map(
    async (name) => (await import(new URL(name, folder).href)) as Record<string, Rule>,
  );
  const exported = (await Promise.all(files)).flatMap((file) => Object.values(file));
  expect(exported.length).toBeGreaterThan(40);
  expect(new Set(exported)).toEqual(new Set(rules));
  expect(exported.map(({ code }) => code).toSorted()).toEqual(
    [...new Set(rules.map(({ code }) => code))].sort(),
  );
});

describe('docs/validation.md', () => {
  const text = readFileSync(new URL('../../../docs/validation.md', import.meta.url), 'utf8');
  const sections = text
    .split(/^### /m)
    .slice(1)
    .map((section) => ({
      code: /^`(\w+)`/.exec(section)?.[1] ?? '',
      severity: /^(Error|Warning|Hint)\. \S/m.exec(section)?.[1],
      example: /```lua\n([^]*?)```/.exec(section)?.[1],
    }));

  /** Codes of what isn't found by looking at a syntax tree that is whole. */
  const others = [
    ...['syntax_error', 'empty_file', 'invalid_utf8', 'too_large', 'not_analysed', 'load_failed'],
    ...['no_procedure', 'several_main_procedures', 'unknown_task', 'cyclic_tasks'],
    ...['wrong_gherkin', 'undefined_step', 'empty_feature', 'duplicate_scenario', 'feature_not_found'],
    ...['wrong_step_pattern', 'missing_from_build'],
  ];

  it('has every code once', () => {
    const codes = [...rules.map(({ code }) => code), ...others];
    expect(sections.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
  });

  it.each(rules)('says how grave $code is', ({ code, severity }) => {
    const words = { error: 'Error', warning: 'Warning', info: 'Hint' };
    expect(sections.find((section) => section.code === code)?.severity).toBe(words[severity]);
  });

  it('shows an example of what can be shown', () => {
    const without = sections.filter(({ example }) => example === undefined).map(({ code }) => code);
    expect(without).toEqual(['empty_file', 'invalid_utf8', 'too_large', 'not_analysed']);
  });

  it.each(sections.filter(({ example }) => example !== undefined))(
    'finds nothing but $code in its example',
    async ({ code, example = '' }) => {
      const files: Record<string, string> = { 'main.tac': example };
      if (code === 'cyclic_require') files['prices.tac'] = example;
      const surroundings = { nearby: ['main.tac', 'helpers.tac'] };
      const source = { entry: 'main.tac', files };
      const { diagnostics } = validateSource(source, { surroundings });
      const found = [...diagnostics, ...(await specificationProblems(source))];
      expect([...new Set(found.map((each) => each.code))]).toEqual([code]);
    },
  );
});
