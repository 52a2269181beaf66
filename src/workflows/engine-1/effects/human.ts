import { condition } from '@temporalio/workflow';
import type { HumanAnswer, HumanAsk, HumanRequest } from '../../../contract/people/human-request.js';
import { TactusError } from '../../../contract/errors.js';
import type { JsonValue } from '../../../contract/json/json.js';
import type { EffectContext } from './context.js';
import { mockAnswer } from '../../mocks/mock-person.js';
import { toRequest } from '../../people/to-request.js';

/** Opens the request and waits for a decision, or for the end of its time. */
export async function performHuman(
  context: EffectContext,
  position: string,
  ask: HumanAsk,
): Promise<HumanAnswer> {
  const { inbox, gate } = context;
  const { runId, start } = context;
  const request = toRequest({ runId, start, now: () => Date.now(), engine: 1 }, position, ask);
  const people = context.start.mock?.people ?? null;
  const mocked = people === null ? null : mockAnswer(people, request);
  // Who answers as usual is not held to the options that a request has.
  const known = inbox.open(mocked?.isUsual === true ? { ...request, options: [] } : request);
  if (known !== null) return known;
  if (mocked?.value !== undefined) settleByMock(context, request, mocked.value);
  const deadline = inbox.deadline(request.id);
  // An answer cancels the timer, which is a command.
  const isAnswered = (): boolean => gate.isOpen && inbox.hasAnswer(request.id);
  if (deadline === null) await condition(isAnswered);
  else await condition(isAnswered, Math.max(1, deadline - Date.now()));
  // The time is over, but a decision may come that a replay sees first: it wins.
  if (!gate.isOpen) await gate.opened();
  return inbox.take(request.id);
}

/** @throws TactusError human_request_invalid where a test's answer is none that a person could give */
function settleByMock({ inbox }: EffectContext, { id, approvers }: HumanRequest, value: JsonValue): void {
  const { outcome, message } = inbox.settle({ request: id, value, by: approvers[0] ?? 'mock' });
  if (outcome !== 'accepted')
    throw new TactusError('human_request_invalid', `The answer of the test is ${outcome}: ${message}`);
}
