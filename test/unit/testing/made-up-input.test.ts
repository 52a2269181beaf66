import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { planScenario } from '../../../src/testing/specifications/plan-scenario.js';

describe('input that no step tells of', () => {
  const planned = (...steps: string[]): JsonObject =>
    planScenario(
      { feature: 'F', name: 'S', tags: [], steps },
      [],
      { mock: true, input: { colour: 'red' } },
      { topic: 'test topic', colour: 'test colour', size: 1 },
    ).plan.input;

  it('is made up, and gives way to what is told', () => {
    expect(planned('the input size is 3', 'the procedure runs')).toEqual({
      topic: 'test topic',
      colour: 'red',
      size: 3,
    });
  });

  it('stays away where the procedure is to fail', () => {
    expect(planned('the procedure runs', 'the procedure should fail')).toEqual({ colour: 'red' });
  });
});
