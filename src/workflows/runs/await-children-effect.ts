import { toChildRun, type ChildRun, type ChildRuns, type RunLook } from '../../contract/runs/child-run.js';
import type { Effect } from '../../contract/effects/effects.js';
import { TactusError } from '../../contract/errors.js';
import { jsonAs, jsonSize } from '../../contract/json/json.js';
import { performing, type OpenEffect, type RunContext } from '../effects/effect-kind.js';
import { lookAt, watchRuns } from './watch.js';
import { remoteBreather } from '../effects/activities.js';

type ChildrenEffect = Extract<Effect, { kind: 'children' }>;
type Found = ReadonlyMap<string, RunLook>;

/**
 * Waits until runs have ended, or for nothing but the end of the workflow task: whoever asks again and again must leave
 * a trace in history. Children report their ends; other runs are looked at.
 */
export const awaitChildren = performing('children', {
  perform(context, opened, effect) {
    const found = new Map<string, RunLook>();
    context.children.waits.expect(opened.position, effect.ids);
    if (effect.until === 'now') return lookOnce(context, opened, effect, found);
    const tell = (): void => opened.attempt(() => opened.answer(asTold(context, effect, found)));
    const check = (): void => {
      if (opened.isOpen && isMet(effect, readAll(context, effect, found))) tell();
    };
    context.children.waits.onAnyEnd(opened.position, check);
    check();
    if (!opened.isOpen) return;
    watchOthers(context, opened, effect, found, check);
    if (effect.timeoutMs !== null) opened.deadline(effect.timeoutMs, opened.request.name, tell);
  },
  givenUp: ({ children: known, watches }, position) => {
    known.waits.expectNoMore(position);
    watches.end(position);
  },
  told({ children: known, watches }, position, _effect, outcome) {
    known.waits.expectNoMore(position);
    watches.end(position);
    // What the procedure was told of an end needn't be kept, but for others who wait for the same.
    if (!outcome.ok) return;
    for (const { id, terminal } of jsonAs<ChildRuns>(outcome.value).children)
      if (terminal && !known.waits.isExpected(id)) known.forgetRun(id);
  },
  // Who only looks goes on at once.
  wait: ({ until }) => (until === 'now' ? 'activity' : 'child'),
  shown: (_context, _position, { ids }) => ({ runs: ids }),
});

function lookOnce(
  context: RunContext,
  opened: OpenEffect,
  effect: ChildrenEffect,
  found: Map<string, RunLook>,
): void {
  const others = effect.ids.filter((id) => !context.children.isOwn(id));
  const tell = (): void => opened.answer(asTold(context, effect, found));
  if (others.length === 0) return opened.follow(() => remoteBreather('looks at child runs').breathe(), tell);
  opened.follow(
    () => lookAt(others, false),
    (looks) => {
      for (const look of looks) found.set(look.id, look);
      tell();
    },
  );
}

function watchOthers(
  context: RunContext,
  opened: OpenEffect,
  { ids }: ChildrenEffect,
  found: Map<string, RunLook>,
  check: () => void,
): void {
  const { children: known } = context;
  const open = (): string[] =>
    ids.filter((id) => !known.isOwn(id) && (found.get(id)?.outcome ?? null) === null);
  if (open().length === 0) return;
  const told = (looks: readonly RunLook[]): void => {
    for (const look of looks) found.set(look.id, look);
    check();
  };
  watchRuns(context, opened, {
    name: opened.position,
    ids: open,
    told,
    firstMs: 0,
    brief: false,
    failed: (error) => opened.fail(error),
  });
}

function readAll({ children: known }: RunContext, { ids }: ChildrenEffect, found: Found): ChildRun[] {
  return ids.map((id) => toChildRun(id, found.get(id)?.outcome ?? known.outcomeOf(id)));
}

function isMet({ until }: ChildrenEffect, runs: readonly ChildRun[]): boolean {
  return until === 'any' ? runs.some(({ terminal }) => terminal) : runs.every(({ terminal }) => terminal);
}

/** @throws TactusError payload_too_large */
function asTold(context: RunContext, effect: ChildrenEffect, found: Found): ChildRuns {
  const runs = readAll(context, effect, found);
  const told = { children: runs, complete: isMet(effect, runs) };
  const bytes = jsonSize(told);
  if (bytes <= context.limits.payloadBytes) return told;
  const ended = runs.filter(({ terminal }) => terminal);
  throw new TactusError(
    'payload_too_large',
    `the outputs of ${ended.length} child runs have ${bytes} bytes together: wait for them one by one`,
  );
}
