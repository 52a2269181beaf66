import { usageOfAnswer } from '../../contract/budgets/usage-of-answer.js';
import type { ChangePlan, ChildFate } from '../../contract/changes/plan.js';
import type { AskedAgain, ProofResult } from '../../contract/changes/proof.js';
import { unacceptedChanges, unacceptedMessage } from '../../contract/changes/run-change.js';
import { comparePositions, type Checkpoint, type Position } from '../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../contract/errors.js';
import { exact } from '../../contract/models/model-call.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { defined } from '../../contract/json/json.js';
import type { RunStarted } from '../../contract/runs/start-input.js';
import { prove } from './prove.js';

/** A run as it is, and how it, or another one, is to go on with a part of its log. */
export interface Change {
  from: { runId: string; started: RunStarted; log: readonly Checkpoint[]; requests: readonly HumanRequest[] };
  to: { runId: string; started: RunStarted; kept: readonly Checkpoint[] };
  /** Positions of what is open in the run, which goes on in it; left out where another run begins with the log. */
  open?: readonly Position[];
  /** Those of them that are child runs. */
  children?: readonly Position[];
  /** What is open may be another question, or be gone. Left out: that is a divergence. */
  mayAskAnew?: boolean | undefined;
  /** Nobody waits any more for what the run has asked for without an answer: what may be done once alone counts as done. */
  isGivenUp?: boolean | undefined;
  /** Positions of what failed, and is tried again, and of what was done because of that. */
  failed?: readonly Position[] | undefined;
}

/** What is proved of a change, and what becomes of the run. */
export interface PlannedChange {
  plan: ChangePlan;
  /** null where the worker has yet to find the source: then it is proved there. */
  proof: ProofResult | null;
  /** The log that the new run begins with. */
  kept: Checkpoint[];
}

/** Runs both sources by the log, here. Nothing is started, and nothing is performed. */
export async function planChange(change: Change): Promise<PlannedChange> {
  const { from, to, mayAskAnew, isGivenUp, failed } = change;
  const { kept: log, ...way } = to;
  // What the run was asked for before its log may have ended in between.
  const recorded = positionsOf(log);
  const open = (change.open ?? []).filter((position) => !recorded.has(position));
  const proof = await prove({ from, to: { ...way, log }, open, mayAskAnew, isGivenUp, failed });
  const digests = proof?.digests ?? {};
  const kept = to.kept.map((each) => ({ ...each, digest: digests[each.position] ?? each.digest }));
  const again = proof?.again ?? [];
  const people = positionsOf(again.filter(({ effect }) => effect === 'human'));
  const models = positionsOf(again.filter(({ effect }) => effect === 'model'));
  const plan: ChangePlan = {
    kept: proof?.verdict === 'diverges' ? proof.kept : kept.length,
    diverges: proof?.diverges ?? null,
    fails: proof?.failed ?? null,
    changed: proof?.changed ?? [],
    again,
    requests: from.requests.map(({ id }) => {
      const position = id.slice(from.runId.length + 1);
      const inAnother = people.has(position) ? 'asked_anew' : 'gone';
      const found = proof?.open[position] ?? 'gone';
      return { id, becomes: found === 'gone' ? inAnother : found };
    }),
    children: [
      ...childrenOf(from.runId, from.log, { kept: positionsOf(kept), again }),
      ...waitedFor(change, proof),
    ],
    cost_usd: {
      kept: costOf(kept, () => true),
      estimated: costOf(from.log, ({ position }) => models.has(position)),
    },
  };
  return { plan, proof, kept };
}

/** What whoever changes a run agrees to. */
export interface Consent {
  /** What may be done once alone is done a second time where the plan says so; left out: that is refused. */
  mayRepeat?: boolean | undefined;
  /** What is kept must have been asked for just as the source asks for it now; left out: a prompt, a label or an approver may differ. */
  strict?: boolean | undefined;
  /** Settings that may differ where it is strict, as authors write them: `system_prompt`. */
  accept?: string[] | undefined;
  /** The plan alone is wanted: it is given, whatever it says. */
  dryRun?: boolean | undefined;
}

/**
 * @throws TactusError non_determinism where the source doesn't fit what is kept; what it fails with before it asks for anything new;
 *   change_refused where it does what nobody has agreed to
 */
export function assertConsent(
  { plan }: Pick<PlannedChange, 'plan'>,
  { mayRepeat, strict = false, accept = [], dryRun }: Consent,
): void {
  if (dryRun === true) return;
  assertProved(plan);
  const unaccepted = unacceptedChanges(plan.changed, { strict, accept });
  if (unaccepted.length > 0) throw new TactusError('change_refused', unacceptedMessage(unaccepted));
  const repeated = plan.again.filter(({ repeats }) => repeats);
  if (mayRepeat !== true && repeated.length > 0)
    throw new TactusError(
      'change_refused',
      `This would be done a second time, and may be done once alone: ${inShort(repeated, ({ name, position }) => `${name} at ${position}`)}. To do it all the same, say --yes (mayRepeat); --dry-run shows the whole plan`,
    );
}

function assertProved({ diverges, fails }: ChangePlan): void {
  if (diverges !== null) {
    const { message, file, ...details } = diverges;
    throw new TactusError('non_determinism', message, {
      ...details,
      ...defined({ file: file ?? undefined }),
    });
  }
  if (fails !== null) {
    const { code, message, file, line } = fails;
    throw new TactusError(code, message, file === null ? undefined : { file, line });
  }
}

/** The first of them, and how many more there are. */
function inShort<T>(all: readonly T[], text: (each: T) => string): string {
  const more = all.length - 5;
  return `${all.slice(0, 5).map(text).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Runs that a log has started and goes on beside, and those that it waited for and that are started anew. The id of a run that is waited
 * for is that of the run, and the position of the call.
 */
function childrenOf(
  runId: string,
  log: readonly Checkpoint[],
  { kept, again }: { kept: ReadonlySet<Position>; again: readonly AskedAgain[] },
): ChangePlan['children'] {
  const anew = positionsOf(again.filter(({ effect }) => effect === 'once'));
  const fateAt = (position: Position): ChildFate =>
    kept.has(position) ? 'kept' : anew.has(position) ? 'started_anew' : 'left';
  return [...log]
    .sort((one, other) => comparePositions(one.position, other.position))
    .flatMap(({ type, position, outcome }) => {
      const spawned = type === 'procedure_spawn' && outcome.ok ? outcome.value : null;
      if (typeof spawned === 'string') return [{ run_id: spawned, becomes: fateAt(position) }];
      const isAnew = type === 'procedure_call' && anew.has(position);
      return isAnew ? [{ run_id: `${runId}/${position}`, becomes: 'started_anew' as const }] : [];
    });
}

/** Child runs that the run waits for, and goes on to wait for, or not. */
function waitedFor({ from, children = [] }: Change, proof: ProofResult | null): ChangePlan['children'] {
  const fates = { kept: 'kept', asked_anew: 'started_anew', gone: 'ended' } as const;
  return children.map((position) => ({
    run_id: `${from.runId}/${position}`,
    becomes: fates[proof?.open[position] ?? 'gone'],
  }));
}

/** In US dollars; null where a price isn't known. */
export function costOf(
  log: readonly Checkpoint[],
  counts: (checkpoint: Checkpoint) => boolean,
): number | null {
  let sum = 0;
  for (const checkpoint of log) {
    if (!counts(checkpoint)) continue;
    const { usage } = usageOfAnswer(checkpoint.outcome, checkpoint.type === 'model_call');
    if (usage?.cost_usd === null) return null;
    sum += usage?.cost_usd ?? 0;
  }
  return exact(sum);
}

function positionsOf(all: readonly { position: Position }[]): ReadonlySet<Position> {
  return new Set(all.map(({ position }) => position));
}
