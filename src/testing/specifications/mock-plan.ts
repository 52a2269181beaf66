import type { MockPlan } from '../../contract/mocks/mock-plan.js';

/**
 * What a run answers itself, for `tactus.start(source, input, { mock })`. With nothing given: no model is asked, the
 * file's `Mocks` count, and people are asked, as `run --mock` does; `people: []` has them approve.
 */
export function mockPlan(given: Partial<MockPlan> = {}): MockPlan {
  return { all: true, agents: {}, results: {}, people: null, ...given };
}
