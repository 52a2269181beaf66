import type { HumanForm, HumanRequest } from '../../contract/people/human-request.js';
import { setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { MockPerson } from '../../contract/mocks/mock-plan.js';

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
function usualAnswer({ kind, options, form }: Pick<HumanRequest, 'kind' | 'options' | 'form'>): JsonValue {
  switch (kind) {
    case 'approval':
      return true;
    case 'input':
      return options[0] ?? 'test input';
    case 'review':
      return { decision: 'Approve' };
    case 'select': {
      const isList = form?.type === 'select' && form.multiple;
      return isList ? options.slice(0, Math.max(1, form.min)) : (options[0] ?? null);
    }
    case 'multiple':
      return form?.type === 'items' ? usualAnswers(form.items) : {};
    case 'upload':
      return usualFile(form);
    case 'escalation':
      return 'settled';
  }
}

/** A review among several questions is held to its options. */
function usualAnswers(items: Extract<HumanForm, { type: 'items' }>['items']): JsonObject {
  const answers: JsonObject = {};
  for (const item of items)
    setOwn(answers, item.id, item.kind === 'review' ? (item.options[0] ?? null) : usualAnswer(item));
  return answers;
}

/** A file that nobody has, of a kind that is asked for. */
function usualFile(form: HumanForm | undefined): JsonValue {
  const accept = form?.type === 'upload' ? form.accept : [];
  const ending = accept.find((each) => !each.includes('/')) ?? '.txt';
  const media = accept.find((each) => each.includes('/'))?.replace('*', 'test') ?? 'text/plain';
  const name = `test${ending}`;
  return { name, path: `/test/${name}`, size: 1, type: media };
}
