import { describe, expect, it } from 'vitest';
import { nearestStep } from '../../../../src/testing/specifications/match-step.js';

describe('the nearest step', () => {
  it.each([
    ['the person answer {"decision": "approve"} to "Publish?"', 'the person answers … to …'],
    ['the agent "helper" respond with "hello"', 'the agent … responds with …'],
    ['the procedure should complete sucessfully', 'the procedure should complete successfully'],
    ['the search tool should be called at least 2 time', 'the … tool should be called at least … times'],
    ['the procedure should have failed', 'the procedure should fail'],
  ])('of %s', (text, expected) => {
    expect(nearestStep(text)).toBe(expected);
  });

  it.each(['all is well', '"tea" costs 3', 'I open the page "home" in a browser'])(
    'of %s is none',
    (text) => {
      expect(nearestStep(text)).toBeNull();
    },
  );
});
