import { sleep, workflowInfo } from '@temporalio/workflow';
import { setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { MockPerson } from '../../contract/mocks/mock-plan.js';
import type { HumanForm, HumanRequest } from '../../contract/people/human-request.js';
import type { RunContext } from '../effects/effect-kind.js';
import { receiveEvent } from '../events/event-effect.js';

/**
 * Sends the run the events of a test, each in its time after the start. A run that it starts gets none, and one that goes on
 * as a new execution those whose time hasn't come.
 */
export function sendMockEvents(context: RunContext, startedAtMs: number): void {
  const { start, sequence, now } = context;
  if (start.parent !== undefined) return;
  const isContinued = workflowInfo().continuedFromExecutionRunId !== undefined;
  for (const { name, value, afterMs } of start.mock?.events ?? []) {
    const ms = isContinued ? startedAtMs + afterMs - now() : afterMs;
    if (isContinued && ms <= 0) continue;
    sequence.follow(
      sleep(ms, { summary: `until the test sends ${name}` }),
      () => receiveEvent(context, name, value),
      () => undefined,
    );
  }
}

/** What a test answers to a request; without a value, nobody does. `isUsual`: the test doesn't say. */
export function mockAnswer(
  people: readonly MockPerson[],
  request: HumanRequest,
): { value?: JsonValue; isUsual: boolean } {
  const fitting = people.find(
    ({ message, position }) =>
      (message === undefined || request.message.includes(message)) &&
      (position === undefined || request.id.endsWith(`/${position}`)),
  );
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
