import { CancellationScope, condition, sleep } from '@temporalio/workflow';
import { toChildRun, type ChildRun, type ChildRuns, type RunLook } from '../../../contract/runs/child-run.js';
import type { Limits } from '../../../contract/runs/limits.js';
import type { StartInput } from '../../../contract/runs/start-input.js';
import type { Effect } from '../../../contract/effects/effects.js';
import { asJson, type JsonValue } from '../../../contract/json/json.js';
import { remoteBreather, remoteRunReader } from '../../effects/activities.js';
import type { ProcedureSource } from '../../../contract/procedures/source.js';
import type { Usage } from '../../../contract/models/model-call.js';
import type { Children } from '../children.js';
import type { Gate, Inbox } from '../inbox.js';

type ChildrenEffect = Extract<Effect, { kind: 'children' }>;

const firstLookMs = 1_000;
const longestLookMs = 86_400_000;

/**
 * Waits until runs have ended, or for nothing but the end of the workflow task: whoever asks again and again must leave
 * a trace in history. Gives what was found out of runs that aren't children of this one; how its own stand is read
 * when the procedure is told, by `readChildren`.
 */
export async function performChildren(
  context: EffectContext,
  position: string,
  effect: ChildrenEffect,
): Promise<RunLook[]> {
  const { gate } = context;
  const found = new Map<string, RunLook>();
  const others = effect.ids.filter((id) => !context.children.isOwn(id));
  // What waits for the children ends with the wait, not with the children.
  const scope = new CancellationScope({ cancellable: true });
  const watching = scope.run(() =>
    Promise.all([
      context.children.seek(effect.ids, effect.until === 'now'),
      ...(others.length === 0 ? [] : [lookAtOthers(context, others, effect, found)]),
    ]),
  );
  if (effect.until === 'now') {
    await watching;
    await remoteBreather('looks at child runs').breathe();
    return [...found.values()];
  }
  let failure: { error: unknown } | null = null;
  watching.catch((error: unknown) => {
    failure = { error };
  });
  const isOver = (): boolean =>
    gate.isOpen && (failure !== null || isMet(effect, readAll(context, effect, [...found.values()])));
  await waitUntil(context, position, isOver, effect.timeoutMs);
  // The time is over, but what ends the watching is a command.
  if (!gate.isOpen) await gate.opened();
  scope.cancel();
  if (failure !== null) throw (failure as { error: unknown }).error;
  return [...found.values()];
}

/** An absolute end, so that continue-as-new doesn't start the time anew. */
async function waitUntil(
  { deadlines }: EffectContext,
  position: string,
  isOver: () => boolean,
  timeoutMs: number | null,
): Promise<void> {
  if (timeoutMs === null) return condition(isOver);
  const deadline = deadlines.get(position) ?? Date.now() + timeoutMs;
  deadlines.set(position, deadline);
  await condition(isOver, Math.max(1, deadline - Date.now()));
}

/** Other runs don't report to this one: they are looked at, first soon and then ever more seldom. */
async function lookAtOthers(
  { gate }: EffectContext,
  ids: readonly string[],
  { until }: ChildrenEffect,
  found: Map<string, RunLook>,
): Promise<void> {
  const since = Date.now();
  for (;;) {
    const open = ids.filter((id) => (found.get(id)?.outcome ?? null) === null);
    if (open.length === 0) return;
    const { lookAtRuns } = remoteRunReader(`looks at ${open.join(', ')}`);
    for (const look of await lookAtRuns({ ids: open })) found.set(look.id, look);
    if (until === 'now') return;
    // Whether another timer or look follows must be seen in the same way by a replay.
    if (!gate.isOpen) await gate.opened();
    await sleep(Math.max(firstLookMs, Math.min(longestLookMs, (Date.now() - since) / 10)));
    if (!gate.isOpen) await gate.opened();
  }
}

function readAll(
  { children }: EffectContext,
  { ids }: ChildrenEffect,
  found: readonly RunLook[],
): ChildRun[] {
  return ids.map((id) => {
    const look = found.find((each) => each.id === id);
    return toChildRun(id, look === undefined ? children.outcomeOf(id) : look.outcome);
  });
}

function isMet({ until }: ChildrenEffect, children: readonly ChildRun[]): boolean {
  return until === 'any'
    ? children.some(({ terminal }) => terminal)
    : children.every(({ terminal }) => terminal);
}

/**
 * How the runs stand, at the moment when the procedure is told: by then a replay has seen what was seen the first
 * time, however local activities came between.
 */
export function readChildren(
  context: EffectContext,
  effect: ChildrenEffect,
  found: readonly RunLook[],
): ChildRuns {
  const children = readAll(context, effect, found);
  return { children, complete: isMet(effect, children) };
}

/** Asks a child run to end. One that has ended already stays as it is. */
export async function performCancelChild({ children }: EffectContext, id: string): Promise<JsonValue> {
  return asJson(toChildRun(id, await children.cancelRun(id)));
}

/** What performers share in one execution of a run. */
export interface EffectContext {
  readonly runId: string;
  readonly firstExecutionId: string;
  readonly source: ProcedureSource;
  readonly start: StartInput & { source: ProcedureSource };
  readonly limits: Limits;
  readonly inbox: Inbox;
  readonly children: Children;
  readonly gate: Gate;
  /** When open timers fire, by position, in ms since 1970: kept over continue-as-new. */
  readonly deadlines: Map<string, number>;
  usage: Usage;
}
