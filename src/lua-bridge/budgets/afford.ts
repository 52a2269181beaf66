import {
  childPosition,
  isWithin,
  type Checkpoint,
  type Position,
} from '../../contract/checkpoints/checkpoint.js';
import {
  askForHost,
  byHost,
  checkpointName,
  currentFrame,
  withdrawnText,
  type Bridge,
  type BudgetScope,
  type EffectAsk,
  type HostAnswer,
  type LuaState,
  type Need,
  type Shortage,
  type Step,
} from '../kernel/index.js';
import { amountText, displayAmount, shortageText } from './budget-text.js';
import { ceilingAround, leftOf, spending, writtenBudgets } from './run-budgets.js';
import type { HumanAsk, HumanChoice } from '../../contract/people/human-request.js';
import { leastOf, measureNames, type Budget, type CallCeiling } from '../../contract/budgets/budget.js';
import type { Compared } from '../../contract/effects/define-effect.js';
import { effectCompared, effectDigest, effectVersion } from '../../contract/effects/effects.js';
import { isSamePlace } from '../../log/compare.js';
import type { ModelCall } from '../../contract/models/model-call.js';
import { defined, jsonSize, type JsonObject } from '../../contract/json/json.js';
import { hasCode, TactusError } from '../../contract/errors.js';

/**
 * Sees to it that the budgets around have enough for what is about to be asked for, and counts it: the next effect of the
 * frame is what is paid for. Where there is too little, a person is asked for more if the budget says so.
 *
 * A replay waits and asks where the run did: with the same answers in the same order, the budgets are as they were. What a
 * carried log has at this place was affordable then, however little is left now: it isn't bought again.
 * @param isRecorded whether what the log has there is what is to be paid for; left out: it is, whatever it is
 * @throws TactusError budget_exhausted
 */
export function* afford(
  bridge: Bridge,
  L: LuaState,
  need: Need,
  isRecorded: IsRecorded = () => true,
): Generator<Step, void, unknown> {
  const { budgets } = currentFrame(L).scope;
  if (budgets.length === 0) return;
  const spent = spending.of(bridge);
  const readsLog = bridge.holds('reads-of-the-log');
  let isOverdue = false;
  for (;;) {
    const frame = currentFrame(L);
    const position = childPosition(frame.position, frame.next);
    const recorded = bridge.log.carriedAt(position);
    const isBought = recorded !== null && !isQuestion(recorded);
    if (isBought && !readsLog) break;
    if (bridge.holds('calls-of-children')) bridge.meter.charge(heldCost * spent.count);
    const short = spent.shortOf(budgets, need, bridge.now());
    if (short === null) break;
    const isDue = readsLog ? isOverdue && isNext(bridge, position) : recorded !== null;
    if (!isDue && mustWait(bridge, short)) isOverdue = (yield { park: true }) === true;
    else if (isBought && isRecorded(recorded)) break;
    else if (short.scope.onExhausted === 'ask' && (wasAsked(bridge, recorded) || refusalOf(short) === null))
      yield* askForMore(bridge, position, short, need);
    else throw exhausted(short, need, refusalOf(short));
  }
  for (const scope of budgets) scope.count(need);
  const frame = currentFrame(L);
  if (need.tokens !== undefined) {
    const scopes = bridge.holds('calls-of-children') ? budgets : writtenBudgets(L);
    spent.hold(childPosition(frame.position, frame.next), { scopes, need });
  }
}

/**
 * Whether the log has the question here. Something else that it has came after what there was too little for, which failed because a
 * person had given no more before.
 */
function wasAsked({ holds }: Bridge, recorded: Checkpoint | null): boolean {
  return recorded !== null && (isQuestion(recorded) || !holds('refusals-replayed'));
}

/** Who has given no more of it: nobody is asked twice. */
function refusalOf({ scope, measure }: Shortage): string | null {
  return scope.refusalOf(measure);
}

/** Nothing else comes next in the log: it was paid for, from a budget that had more. */
function isNext({ log }: Bridge, position: Position): boolean {
  return log.next !== null && isWithin(log.next.position, position);
}

/** Others take what is left, and may leave some of it; or a person is being asked already. */
function mustWait({ scheduler }: Bridge, { scope, isHeld }: Shortage): boolean {
  return isHeld || (scope.asking !== null && scheduler.awaited.pending.has(scope.asking));
}

const type = 'hitl_select';

/** What every question for more begins with: a replay knows by it that one was asked. */
const opening = 'Go beyond the budget of ';

function isQuestion(recorded: Pick<Checkpoint, 'type' | 'name'>): boolean {
  return recorded.type === type && recorded.name.startsWith(opening);
}

/**
 * Asks a person for more of what there is too little of.
 * @throws TactusError budget_exhausted where there isn't to be more
 */
function* askForMore(
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

/** What a run that is started may use, as its effect says. */
export interface RunShare {
  budget?: Budget;
  ceiling?: CallCeiling;
}

/**
 * What a run that the next effect starts may use of what is left here. What it is given by name is held for it until it has ended;
 * one that is given nothing may use what is left now, and whoever goes on beside it as well.
 * @throws TactusError budget_exhausted
 */
export function* affordRun(
  bridge: Bridge,
  L: LuaState,
  { what, own, isRecorded }: { what: string; own: Budget | null; isRecorded: IsRecorded },
): Generator<Step, RunShare, unknown> {
  const innermost = writtenBudgets(L).at(-1);
  const ceiling = bridge.holds('calls-of-children') ? ceilingAround(L) : undefined;
  if (own === null && innermost === undefined && ceiling === undefined) return {};
  const { tokens = 0, costUsd = 0 } = own ?? {};
  yield* afford(bridge, L, { what, tokens, costUsd }, isRecorded);
  const limits = leastOf(own ?? {}, leftOf(bridge, L));
  const hasCeiling = (bridge.run.settings.modelCalls ?? 0) > 0;
  const counted = defined({ ceiling: hasCeiling ? ceiling?.ceiling : undefined });
  if (Object.keys(limits).length === 0) return counted;
  const approvers = own?.approvers ?? innermost?.approvers ?? [];
  const onExhausted = own?.onExhausted ?? innermost?.onExhausted ?? 'ask';
  return {
    ...counted,
    budget: { ...limits, onExhausted, ...(approvers.length === 0 ? {} : { approvers: [...approvers] }) },
  };
}

/** Whether what the log has where something is to be paid for is that very thing. */
export type IsRecorded = (recorded: Checkpoint) => boolean;

/** Whether it is this very effect. */
export function isEffect({ holds, log }: Bridge, { type, name, effect }: EffectAsk): IsRecorded {
  return (recorded) => {
    const identify = (version: number): string => effectDigest(effect, version);
    const digest = identify(effectVersion(effect, holds));
    const asked = { position: recorded.position, type, name: checkpointName(name), digest };
    const compared = (): Compared => effectCompared(effect);
    return log.answers(recorded, { ...asked, identify, isFrame: false, compared });
  };
}

/** Whether it is an effect of this type and name: what else it has isn't known yet. */
export function isNamed({ type, name }: Pick<EffectAsk, 'type' | 'name'>): IsRecorded {
  return (recorded) => isSamePlace(recorded, { ...recorded, type, name: checkpointName(name) });
}

/** Instructions that it costs to look at one call or run that holds something of a budget. */
const heldCost = 4;

/** What tokenizers make of most texts; a little less in English. */
const bytesOfToken = 4;

/**
 * What a call of a model is expected to take: what it is sent, and what it may answer where its author bounds that. A model
 * costs what those before it have, on average.
 */
export function callNeed(
  { agent, model, system, messages, tools, settings }: ModelCall,
  budgets: readonly BudgetScope[],
): Need {
  const what = `${agent}: a call of ${model ?? 'the default model'}`;
  const counted = { what, isCall: true, modelCalls: 1 } as const;
  // What only counts calls needs no estimate.
  if (budgets.every(({ isCeiling }) => isCeiling)) return counted;
  const sent = jsonSize([system, messages, tools]);
  const tokens = Math.ceil(sent / bytesOfToken) + (settings.maxTokens ?? 0);
  const price = Math.max(0, ...budgets.map((scope) => scope.costOfToken));
  return { ...counted, tokens, costUsd: tokens * price };
}

/** What is missing, as a turn that stops for it gives it to the procedure: `result.exhausted`. */
export interface Exhausted extends JsonObject {
  /** Whose budget it is. */
  budget: string;
  /** `tokens`, `cost`, `turns`, `model_calls`, `tool_calls`, `time`. */
  what: string;
  limit: number;
  used: number;
}

/** @param refusal who didn't give more, where somebody was asked */
function exhausted(short: Shortage, { what }: Need, refusal: string | null = null): TactusError {
  const { scope, measure } = short;
  const said = refusal === null ? '' : `; ${refusal}`;
  const facts: Exhausted = {
    budget: scope.name,
    what: measureNames[measure],
    limit: displayAmount(measure, short.limit),
    used: displayAmount(measure, short.used),
  };
  const isStop = scope.onExhausted === 'stop';
  return new TactusError('budget_exhausted', `${what} is beyond ${shortageText(short)}${said}`, {
    exhausted: facts,
    isStop,
  });
}

/** Where a turn is to stop for what is missing: what that is. */
export function stopOf(error: unknown): Exhausted | null {
  if (!hasCode(error, 'budget_exhausted')) return null;
  const { exhausted: facts, isStop } = error.details;
  return isStop === true && facts !== undefined ? facts : null;
}
