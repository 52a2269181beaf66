import type { HumanAnswer, HumanAsk } from '../../contract/people/human-request.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { Bridge } from '../kernel/bridge.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';
import { answerOf } from './answer-of.js';
import { invalid } from './human-fields.js';
import type { HumanKind } from './human-kind.js';
import { askPreconditions, isChanged, leadsOn } from './preconditions.js';

/** So often people are asked anew, each time by an answer of theirs. */
const mostTimes = 100;

/** Asks, and gives what the procedure gets. */
export function* askPeople(kind: HumanKind, ask: HumanAsk): Generator<Step, JsonValue, unknown> {
  return answerOf(ask, yield* answerTo(kind, ask));
}

/**
 * Asks, and asks anew for as long as what the decision is bound to has changed when the answer is there. The function that
 * says what that is lies where `takePreconditions` has put it.
 * @throws TactusError human_request_invalid where that goes on and on
 */
export function* askBound(
  bridge: Bridge,
  L: LuaState,
  call: string,
  kind: HumanKind,
  askWith: (preconditions: JsonValue) => HumanAsk,
): Generator<Step, JsonValue, unknown> {
  let preconditions = yield* askPreconditions(bridge, L);
  let before: { before?: JsonValue } = {};
  for (let times = 0; times < mostTimes; times++) {
    const ask = { ...askWith(preconditions), ...before };
    const answer = yield* answerTo(kind, ask);
    const value = answerOf(ask, answer);
    if (!leadsOn(kind.kind, answer)) return value;
    const now = yield* askPreconditions(bridge, L);
    if (!isChanged(preconditions, now)) return value;
    before = { before: preconditions };
    preconditions = now;
  }
  throw invalid(call, `was answered ${mostTimes} times, and each time its preconditions had changed`);
}

function* answerTo({ type }: HumanKind, ask: HumanAsk): Generator<Step, HumanAnswer, unknown> {
  return (yield { effect: { type, name: ask.message, effect: { kind: 'human', ask } } }) as HumanAnswer;
}
