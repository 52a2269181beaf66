import { describe, expect, it } from 'vitest';
import { describeTests, specifiedTexts } from '../../../../src/testing/specifications/declared-tests.js';
import { checkSpecifications } from '../../../../src/testing/specifications/validate-with-tests.js';
import type { Diagnostic } from '../../../../src/validation/index.js';

async function checked(text: string, files: Record<string, string> = {}): Promise<Diagnostic[]> {
  const source = { entry: 'main.tac', files: { 'main.tac': text, ...files } };
  const declared = describeTests(source);
  return checkSpecifications('main.tac', declared.steps, await specifiedTexts('/nowhere', source, declared));
}

/** A file whose Gherkin begins in line 2. */
const specified = (gherkin: string, more = ''): string =>
  `Procedure { function() return 1 end } ${more}\nSpecification [[${gherkin}]]`;

const scenario = 'Feature: F\n  Scenario: S\n    When the procedure runs\n';

describe('the check of Specifications', () => {
  it.each<[string, string, string[]]>([
    ['what is right', specified(scenario), []],
    ['a word that begins no step', specified(`${scenario}    Givn b\n`), ['5:5 wrong_gherkin']],
    [
      'several of them',
      specified(`${scenario}    Givn b\n    Wen c\n`),
      ['5:5 wrong_gherkin', '6:5 wrong_gherkin'],
    ],
    ['a scenario without a feature', specified('\n\nScenario: S\n'), ['4:1 wrong_gherkin']],
    [
      'a table with rows of two widths',
      specified(`${scenario}      | a |\n      | b | c |\n`),
      ['6:7 wrong_gherkin'],
    ],
    ['a text that is never closed', specified(`${scenario}      """\n      x\n`), ['7:1 wrong_gherkin']],
    ['an undefined step', specified(`${scenario}    Then all is well\n`), ['5:5 undefined_step']],
    [
      'it in a background',
      specified(
        'Feature: F\nBackground:\n  Given tea\nScenario: S\n  When the procedure runs\nScenario: T\n  When the procedure runs\n',
      ),
      ['4:3 undefined_step'],
    ],
    ['it in a rule', specified('Feature: F\nRule: R\nScenario: S\n  Given tea\n'), ['5:3 undefined_step']],
    [
      'it in an outline, once',
      specified(
        'Feature: F\nScenario Outline: S <x>\n  Given tea <x>\nExamples:\n  | x |\n  | 1 |\n  | 2 |\n',
      ),
      ['4:3 undefined_step'],
    ],
    [
      'a step of the file, which loads later',
      specified(`${scenario}    Then all is well\n`).concat('\nStep("all is (\\\\w+)", function() end)'),
      [],
    ],
    [
      'two scenarios of one name',
      specified(`${scenario}  Scenario: S\n    When the procedure runs\n`),
      ['5:3 duplicate_scenario'],
    ],
    ['a feature without a scenario', specified('Feature: F\n'), ['2:1 empty_feature']],
    // As Lua counts: a call has the line where its text ends.
    ['no feature', specified('\n\n'), ['4:1 empty_feature']],
    ['a scenario without a step', specified('Feature: F\n  Scenario: S\n'), ['3:3 empty_feature']],
    [
      'a file that is missing',
      'Procedure { function() return 1 end }\nSpecification { from = "tea.feature" }',
      ['2:1 feature_not_found'],
    ],
    [
      'a step whose pattern is none',
      specified(scenario, 'Step("tea (", function() end)'),
      ['1:1 wrong_step_pattern'],
    ],
    [
      'a text that is put together',
      'Procedure { function() return 1 end }\nSpecification("Feature: F\\n  Scena" .. "rio: S\\n    Then all is well")',
      ['2:1 undefined_step'],
    ],
    [
      'the call a line before the text',
      'Procedure { function() return 1 end }\nSpecification(\n[[\nFeature: F\n  Scenario: S\n    Then all is well\n]])',
      ['6:5 undefined_step'],
    ],
  ])('finds %s', async (_what, text, expected) => {
    const found = await checked(text);
    expect(found.map(({ line, column, code }) => `${line}:${column} ${code}`)).toEqual(expected);
  });

  it('says what can be written', async () => {
    expect(await checked(specified(`${scenario}    Givn b\n    Then "tea" costs 3\n`))).toMatchObject([
      {
        message: 'This is no Gherkin: "Givn b" can\'t stand here',
        suggestion: 'begin each step with Given, When, Then, And or But',
        severity: 'error',
      },
    ]);
    expect(await checked(specified(`${scenario}    Then "tea" costs 3\n`))).toMatchObject([
      {
        message: 'No step reads: "tea" costs 3',
        suggestion:
          'reword it, or write Step([["(.+)" costs ([\\d.]+)]], function(context, text1, number2)\n  error("not written yet")\nend)',
        severity: 'warning',
      },
    ]);
  });
});
