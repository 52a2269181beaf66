import type { HumanRequest } from '../../contract/human-request.js';
import type { JsonValue } from '../../contract/json.js';
import type { MockPerson } from '../../contract/mock-plan.js';

/** What a test answers to a request; without a value, nobody does. `isUsual`: the test doesn't say. */
export function mockAnswer(
  people: readonly MockPerson[],
  request: HumanRequest,
): { value?: JsonValue; isUsual: boolean } {
  const fitting = people.find(({ message }) => message === undefined || request.message.includes(message));
  if (fitting === undefined) return { value: usualAnswer(request), isUsual: true };
  return fitting.value === undefined ? { isUsual: false } : { value: fitting.value, isUsual: false };
}

/** What somebody who goes along with everything would say. */
function usualAnswer({ kind, options }: HumanRequest): JsonValue {
  switch (kind) {
    case 'approval':
      return true;
    case 'input':
      return options[0] ?? 'test input';
    case 'review':
      return { decision: 'Approve' };
  }
}
