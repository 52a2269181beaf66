import { condition } from '@temporalio/workflow';
import type { HumanAnswer, HumanAsk, HumanRequest } from '../../contract/human-request.js';
import { TactusError } from '../../contract/errors.js';
import type { MockPerson } from '../../contract/mock-plan.js';
import { requestDigest } from '../../contract/request-digest.js';
import type { EffectContext } from './context.js';
import { mockAnswer } from './mock-person.js';

/** Opens the request and waits for a decision, or for the end of its time. */
export async function performHuman(
  context: EffectContext,
  position: string,
  ask: HumanAsk,
): Promise<HumanAnswer> {
  const { inbox } = context;
  const request = toRequest(context.runId, position, ask);
  const mocked = context.start.mock?.people;
  if (mocked !== undefined && mocked !== null) return answeredByMock(context, request, mocked);
  const known = inbox.open(request);
  if (known !== null) return known;
  return decision(context, request.id);
}

async function decision({ inbox, gate }: EffectContext, id: string): Promise<HumanAnswer> {
  const deadline = inbox.deadline(id);
  // An answer cancels the timer, which is a command.
  const isAnswered = (): boolean => gate.isOpen && inbox.hasAnswer(id);
  if (deadline === null) await condition(isAnswered);
  else await condition(isAnswered, Math.max(1, deadline - Date.now()));
  // The time is over, but a decision may come that a replay sees first: it wins.
  if (!gate.isOpen) await gate.opened();
  return inbox.take(id);
}

/**
 * A person who isn't asked. Who answers as usual is not held to the options that a request has.
 * @throws TactusError human_request_invalid where a test's answer is none that a person could give
 */
function answeredByMock(
  context: EffectContext,
  request: HumanRequest,
  people: MockPerson[],
): Promise<HumanAnswer> {
  const { inbox } = context;
  const { value, isUsual } = mockAnswer(people, request);
  const known = inbox.open(isUsual ? { ...request, options: [] } : request);
  if (known !== null) return Promise.resolve(known);
  if (value === undefined) return decision(context, request.id);
  const by = request.approvers[0] ?? 'mock';
  const { outcome, message } = inbox.settle({ request: request.id, value, by });
  if (outcome !== 'accepted')
    throw new TactusError('human_request_invalid', `The answer of the test is ${outcome}: ${message}`);
  return decision(context, request.id);
}

export function toRequest(runId: string, position: string, ask: HumanAsk): HumanRequest {
  const { kind, message, context, options, form, metadata } = ask;
  const shown = {
    ...{ kind, message, context, options },
    ...(form === undefined ? {} : { form }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  const now = Date.now();
  return {
    id: `${runId}/${position}`,
    run_id: runId,
    ...shown,
    default: ask.default,
    deadline: ask.timeoutMs === null ? null : new Date(now + ask.timeoutMs).toISOString(),
    created_at: new Date(now).toISOString(),
    position,
    approvers: ask.approvers,
    digest: requestDigest(shown),
  };
}
