import { usageOfAnswer } from '../../contract/budgets/usage-of-answer.js';
import type { ChangePlan, ChildFate } from '../../contract/changes/plan.js';
import type { AskedAgain, ProofResult } from '../../contract/changes/proof.js';
import { comparePositions, type Checkpoint, type Position } from '../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../contract/errors.js';
import { exact } from '../../contract/models/model-call.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { defined } from '../../contract/json/json.js';
import type { RunStarted } from '../../contract/runs/start-input.js';
import { programOf } from '../runs/replayed-program.js';

/** A run as it is, and how another one is to go on with a part of its log. */
export interface Change {
  from: { runId: string; started: RunStarted; log: readonly Checkpoint[]; requests: readonly HumanRequest[] };
  to: { runId: string; started: RunStarted; kept: readonly Checkpoint[] };
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
export async function planChange({ from, to }: Change): Promise<PlannedChange> {
  const proof = await prove({ from, to });
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
      return { id, becomes: people.has(position) ? 'asked_anew' : 'gone' };
    }),
    children: childrenOf(from.runId, from.log, { kept: positionsOf(kept), again }),
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
  /** The plan alone is wanted: it is given, whatever it says. */
  dryRun?: boolean | undefined;
}

/**
 * @throws TactusError non_determinism where the source doesn't fit what is kept; what it fails with before it asks for anything new;
 *   change_refused where it does what nobody has agreed to
 */
export function assertConsent({ proof, plan }: PlannedChange, { mayRepeat, strict, dryRun }: Consent): void {
  if (dryRun === true) return;
  if (proof !== null) assertProved(proof);
  if (strict === true && plan.changed.length > 0)
    throw new TactusError(
      'change_refused',
      `The source asks in another way than was answered: ${inShort(plan.changed, ({ settings, name, position }) => `${settings.join(' and ')} of ${name} at ${position}`)}. Without --strict it fits`,
    );
  const repeated = plan.again.filter(({ repeats }) => repeats);
  if (mayRepeat !== true && repeated.length > 0)
    throw new TactusError(
      'change_refused',
      `This would be done a second time, and may be done once alone: ${inShort(repeated, ({ name, position }) => `${name} at ${position}`)}. To do it all the same, say --yes (mayRepeat); --dry-run shows the whole plan`,
    );
}

function assertProved({ diverges, failed }: ProofResult): void {
  if (diverges !== null) {
    const { message, file, ...details } = diverges;
    throw new TactusError('non_determinism', message, {
      ...details,
      ...defined({ file: file ?? undefined }),
    });
  }
  if (failed !== null) {
    const { code, message, file, line } = failed;
    throw new TactusError(code, message, file === null ? undefined : { file, line });
  }
}

/** The first of them, and how many more there are. */
function inShort<T>(all: readonly T[], text: (each: T) => string): string {
  const more = all.length - 5;
  return `${all.slice(0, 5).map(text).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

async function prove({ from, to }: Change): Promise<ProofResult | null> {
  const after = to.started.start.source;
  if (after === undefined) return null;
  // It runs Lua: whoever only reads and answers runs has no need of that.
  const { Proof } = await import('../../lua-bridge/index.js');
  const before = from.started.start.source;
  const proof = new Proof({
    log: from.log,
    before: before === undefined ? null : await programOf(from.runId, from.started, before),
    after: { ...(await programOf(to.runId, to.started, after)), carried: to.kept },
    open: [],
  });
  for (;;) {
    const result = proof.advance();
    if (result !== null) return result;
  }
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
