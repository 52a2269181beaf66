import { definitionOf, type Effect, type WaitKind } from '../../contract/effects/effects.js';
import { defined } from '../../contract/json/json.js';
import type { Wait } from '../../contract/runs/run-view.js';
import type { OpenEffect, RunContext } from './effect-kind.js';
import { performerOf } from './performers.js';

/** What the status says of an open effect. */
export function shownWait(context: RunContext, opened: OpenEffect, isHeld: boolean): Wait {
  const { effect, position, name, source } = opened.request;
  return {
    ...{ position, kind: waitOf(effect), name, since: opened.sinceShown },
    ...(isHeld ? { held: true } : {}),
    ...defined({ hold: context.holding.targetOf(position) }),
    ...(source === null ? {} : { source }),
    ...performerOf(effect).shown?.(context, position, effect),
  };
}

export function waitOf(effect: Effect): WaitKind {
  return performerOf(effect).wait?.(effect) ?? definitionOf(effect.kind).wait;
}
