import { childPosition, isWithin, type Position } from '../../contract/checkpoints/position.js';
import type { Bridge } from '../kernel/bridge.js';
import { currentFrame } from '../scheduler/frame.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';
import { askForMore, isQuestion } from './ask-for-more.js';
import type { Need, Shortage } from '../scheduler/budget-scope.js';
import { writtenBudgets } from './run-budgets.js';
import { exhausted } from './exhausted.js';
import type { IsRecorded } from './is-recorded.js';
import { spending } from './spending.js';

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
    const short = spent.shortOf(budgets, need, bridge.now());
    if (short === null) break;
    const isDue = readsLog ? isOverdue && isNext(bridge, position) : recorded !== null;
    if (!isDue && mustWait(bridge, short)) isOverdue = (yield { park: true }) === true;
    else if (isBought && isRecorded(recorded)) break;
    else if (short.scope.onExhausted === 'ask' && (recorded !== null || refusalOf(short) === null))
      yield* askForMore(bridge, position, short, need);
    else throw exhausted(short, need, refusalOf(short));
  }
  for (const scope of budgets) scope.count(need);
  const frame = currentFrame(L);
  if (need.tokens !== undefined)
    spent.hold(childPosition(frame.position, frame.next), { scopes: writtenBudgets(L), need });
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
  return isHeld || (scope.asking !== null && scheduler.pending.has(scope.asking));
}
