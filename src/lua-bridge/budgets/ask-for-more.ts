import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import type { HumanAsk, HumanChoice } from '../../contract/people/human-request.js';
import { measureNames } from '../../contract/budgets/budget.js';
import type { Position } from '../../contract/checkpoints/position.js';
import type { Bridge } from '../kernel/bridge.js';
import { byHost } from '../kernel/by-host.js';
import { askForHost, withdrawnText, type HostAnswer } from '../kernel/ask-for-host.js';
import type { Step } from '../scheduler/native.js';
import type { Need, Shortage } from '../scheduler/budget-scope.js';
import { amountText, exhausted, shortageText } from './exhausted.js';

const type = 'hitl_select';

/** What every question for more begins with: a replay knows by it that one was asked. */
const opening = 'Go beyond the budget of ';

export function isQuestion(recorded: Pick<Checkpoint, 'type' | 'name'>): boolean {
  return recorded.type === type && recorded.name.startsWith(opening);
}

/**
 * Asks a person for more of what there is too little of.
 * @throws TactusError budget_exhausted where there isn't to be more
 */
export function* askForMore(
  bridge: Bridge,
  position: Position,
  short: Shortage,
  need: Need,
): Generator<Step, void, unknown> {
  const { scope, measure } = short;
  scope.asking = position;
  const ask = askOf(bridge, short, need);
  const answer = yield* askForHost(bridge, type, ask);
  scope.asking = null;
  if (answer.how === 'withdrawn') throw exhausted(short, need, withdrawnText(answer));
  if (answer.value === 'more') scope.raise(measure, bridge.now());
  else if (answer.value === 'unlimited') scope.lift(measure);
  else {
    const refusal = refusalText(answer);
    if (bridge.holds('refusals-kept')) scope.refuse(measure, refusal);
    throw exhausted(short, need, refusal);
  }
}

function refusalText(answer: Exclude<HostAnswer, { how: 'withdrawn' }>): string {
  return answer.how === 'timed_out' ? 'nobody gave more in time' : `${answer.by ?? 'a person'} gave no more`;
}

/** Facts of the run alone: nothing that a model has written is in the message. */
function askOf(bridge: Bridge, short: Shortage, { what }: Need): HumanAsk {
  const { scope, measure, limit, used, unpriced } = short;
  const step = scope.step(measure);
  const more: HumanChoice = { value: 'more', label: `Give ${amountText(measure, step)} more` };
  const choices: HumanChoice[] = [
    ...(unpriced === null && step > 0 ? [more] : []),
    { value: 'unlimited', label: `No limit of ${measureNames[measure].replace('_', ' ')} from here on` },
    { value: 'stop', label: 'Give no more' },
  ];
  return {
    kind: 'select',
    message: `${opening}${scope.name}? ${shortageText(short).replace(/^.*?: /, '')}`,
    context: { budget: scope.name, measure: measureNames[measure], limit, used, next: what },
    options: choices.map(({ value }) => value),
    form: { type: 'select', multiple: false, min: 1, max: null, choices },
    default: null,
    timeoutMs: null,
    approvers: [...scope.approvers],
    ...byHost(bridge),
  };
}
