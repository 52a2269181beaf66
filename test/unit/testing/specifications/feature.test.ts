import { describe, expect, it } from 'vitest';
import { TactusError } from '../../../../src/contract/errors.js';
import { readFeature } from '../../../../src/testing/specifications/feature.js';

describe('Gherkin', () => {
  it('is read with backgrounds, outlines, tags and rules', () => {
    const scenarios = readFeature(
      `
@slow
Feature: Tea
  Background:
    Given the procedure has started

  @hot
  Scenario Outline: brewing <kind>
    When the procedure runs
    Then the output kind should be "<kind>"

    Examples:
      | kind  |
      | green |
      | black |

  Rule: cold
    Scenario: iced
      When the procedure runs
`,
      'tea.tac',
      1,
    );
    expect(scenarios).toEqual([
      {
        feature: 'Tea',
        name: 'brewing green',
        tags: ['@slow', '@hot'],
        steps: ['the procedure has started', 'the procedure runs', 'the output kind should be "green"'],
      },
      expect.objectContaining({ name: 'brewing black' }),
      expect.objectContaining({ name: 'iced', steps: ['the procedure has started', 'the procedure runs'] }),
    ]);
  });

  it('that is none is refused with its line in the file', () => {
    const read = (): unknown =>
      readFeature('Feature: F\n  Scenario: S\n    Given a\n    Givn b\n', 'tea.tac', 40);
    expect(read).toThrow(TactusError);
    expect(read).toThrow(/tea\.tac:43: this is no Gherkin/);
  });
});
