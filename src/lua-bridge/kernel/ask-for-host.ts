import type { HumanAnswer, HumanAsk } from '../../contract/people/human-request.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { Bridge } from './bridge.js';
import type { Step } from '../scheduler/native.js';

/** How a question of the host ended. A question that nobody answered is no answer: whoever asks says what follows from that. */
export type HostAnswer =
  | { how: 'decided'; value: JsonValue; by: string | null; comment: string | null }
  | { how: 'withdrawn'; by: string | null; comment: string | null }
  /** Nobody decided in time; `value` is the default of the request. */
  | { how: 'timed_out'; value: JsonValue };

/** Asks people what the host itself, or a tool outside of the run, has to know. */
export function* askForHost(
  { holds }: Bridge,
  type: 'hitl_approval' | 'hitl_input' | 'hitl_select',
  ask: HumanAsk,
): Generator<Step, HostAnswer, unknown> {
  const answer = (yield {
    effect: { type, name: ask.message, effect: { kind: 'human', ask } },
  }) as HumanAnswer;
  const { value, by, comment, timed_out: isLate, withdrawn } = answer;
  // Agents outside were always told. For all others, runs of an older engine took null for the answer.
  const isKnown = holds('withdrawn-questions') || ask.origin !== undefined;
  if (withdrawn === true && isKnown) return { how: 'withdrawn', by, comment };
  return isLate ? { how: 'timed_out', value } : { how: 'decided', value, by, comment };
}

/** `zoe took the question back: never mind`. */
export function withdrawnText({ by, comment }: Extract<HostAnswer, { how: 'withdrawn' }>): string {
  return `${by ?? 'somebody'} took the question back${comment === null || comment === '' ? '' : `: ${comment}`}`;
}

/** Marks what the host itself asks of people: see `HumanRequest.by_host`. */
export function byHost({ holds }: Bridge): Pick<HumanAsk, 'byHost'> {
  return holds('request-fields') ? { byHost: true } : {};
}
