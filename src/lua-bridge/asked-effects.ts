import type { Trial } from '../contract/changes/trial.js';
import type { Checkpoint, EffectRequest, Outcome, Position } from '../contract/checkpoints/checkpoint.js';
import type { Compared } from '../contract/effects/define-effect.js';
import { definitionOf, effectCompared, effectDigest, type Effect } from '../contract/effects/effects.js';
import { TactusError } from '../contract/errors.js';
import { defined, type JsonValue } from '../contract/json/json.js';
import { failureContextOf } from '../contract/people/failure-context.js';
import { answerTo, notAnswered } from '../log/compare.js';
import type { ExecutionLog } from '../log/execution-log.js';
import { TrialAnswers } from '../log/trial-answers.js';

/** What a program did until it could not go on by itself. */
export type Turn =
  /** It waits: `asked` are the effects that are new, `cancelled` those that nobody waits for any longer. */
  | { kind: 'blocked'; asked: EffectRequest[]; cancelled: Position[] }
  /** It has used up its slice of instructions; call `turn` again when others have had theirs. */
  | { kind: 'slice' }
  | { kind: 'completed'; output: JsonValue }
  | { kind: 'failed'; error: TactusError };

/** How an effect has ended; `at` is when, in ms since 1970. */
export interface Settled {
  position: Position;
  outcome: Outcome;
  at: number;
}

/** `order`: the one with the least is told first. */
type Told = Settled & { order: number };

/**
 * The effects that a procedure waits for: those that the host has yet to be asked for, and those that it performs.
 *
 * Owns: the queue of new effects, which of them the host performs, when each was asked for, and answers from elsewhere.
 * Asks: the scheduler's `pending`, which effects somebody still waits for; in a trial, the answers of the other run.
 * Invariants:
 *  1. The host performs at most `mostOpen` effects at once. Others wait, and are handed out in the order of asking.
 *  2. An effect that nobody waits for any longer is not handed out.
 *  3. `askedAt` knows an effect from its asking until it has its answer or was given up.
 */
export class AskedEffects {
  /** Answers that were recorded elsewhere, and that the procedure hasn't been given yet. */
  readonly told: Told[] = [];
  private readonly waiting: EffectRequest[] = [];
  private readonly open = new Set<Position>();
  private readonly times = new Map<Position, number>();
  private readonly trial: TrialAnswers | null;

  /**
   * @param pending the effects that somebody still waits for
   * @param mostOpen how many the host may perform at once
   * @param trial what another run was answered, where that answers this one; null: the host does
   */
  constructor(
    private readonly pending: ReadonlyMap<Position, EffectRequest>,
    private readonly mostOpen: number,
    trial: Trial | null,
  ) {
    this.trial = trial === null ? null : new TrialAnswers(trial);
  }

  /**
   * Compares what is asked for with what the log has at its place, and notes it, with the answer that was recorded elsewhere.
   * @throws TactusError non_determinism
   */
  ask(request: EffectRequest, at: number, log: ExecutionLog): void {
    const { source, effect } = request;
    const { shown } = definitionOf(effect.kind);
    const identify = (version: number): string => effectDigest(effect, version);
    const compared = (): Compared => effectCompared(effect);
    log.check({ ...request, identify, isFrame: false, compared }, source, () => shown(effect));
    const { position } = request;
    this.times.set(position, at);
    const fate = log.carriedAt(position) === null ? (this.trial?.find(request, at) ?? 'host') : 'host';
    if (fate === 'nobody') return;
    const told = fate === 'host' ? toldAnswer(log, request) : { position, ...fate };
    if (told === null) this.waiting.push(request);
    else this.tell(told);
  }

  private tell(told: Told): void {
    const next = this.told.findIndex(({ order }) => order > told.order);
    this.told.splice(next === -1 ? this.told.length : next, 0, told);
  }

  /**
   * Takes what the host answers in a trial, whose answers come in the order in which they came then, and after as long a time. False: it is
   * none.
   */
  tellTrial({ position, outcome, at }: Settled): boolean {
    if (this.trial === null) return false;
    const since = this.times.get(position);
    const ended = since === undefined ? at : since + this.trial.durationOf(position);
    this.tell({ position, outcome, at: ended, order: this.trial.orderOf(position) });
    // What waits for its turn may be what has to come first.
    this.open.delete(position);
    return true;
  }

  /** The next of them that the procedure can be given; undefined: there is none, or the host has yet to do what ended before it. */
  nextTold(): Told | undefined {
    const { trial, told } = this;
    const [next] = told;
    if (trial === null || next === undefined) return told.shift();
    const asked = this.waiting.map(({ position }) => position).filter((each) => this.pending.has(each));
    const isBefore = (position: Position): boolean => trial.orderOf(position) < next.order;
    return [...this.open, ...asked].some(isBefore) ? undefined : told.shift();
  }

  /** In ms since 1970, by the procedure's clock. */
  askedAt(position: Position): number | undefined {
    return this.times.get(position);
  }

  /** As many new effects as may be open at once; the others are asked for when these have ended. */
  handOut(): EffectRequest[] {
    const handed: EffectRequest[] = [];
    while (this.open.size < this.mostOpen) {
      const request = this.waiting.shift();
      if (request === undefined) break;
      if (!this.pending.has(request.position)) continue;
      this.open.add(request.position);
      handed.push(request);
    }
    this.assertAnswered();
    return handed;
  }

  /** @throws TactusError non_determinism where nobody will ever answer */
  private assertAnswered(): void {
    const [first] = this.pending.values();
    if (this.trial !== null && this.open.size + this.told.length === 0 && first !== undefined)
      throw notAnswered(first, first.source);
  }

  /** It has ended, or nobody waits for it any longer. Tells whether the host was performing it. */
  close(position: Position): boolean {
    this.times.delete(position);
    return this.open.delete(position);
  }

  /** The checkpoint that an end makes, by a clock that stands at `now`; null where nobody waits for the answer any longer. */
  toCheckpoint({ position, outcome, at }: Settled, now: number): Checkpoint | null {
    const request = this.pending.get(position);
    if (request === undefined) return null;
    const { type, name, digest, source } = request;
    // The clock never goes back, nor does the log: answers are looked at in another order than they came in.
    const ended = Math.max(at, now);
    const durationMs = ended - (this.times.get(position) ?? ended);
    return {
      position,
      type,
      name,
      digest,
      outcome,
      at: ended,
      durationMs,
      source,
      input: definitionOf(request.effect.kind).shown(request.effect),
      ...(isFailureQuestion(request.effect) ? { followUp: 'question' } : {}),
    };
  }
}

function isFailureQuestion(effect: Effect): boolean {
  if (effect.kind === 'retry_here') return true;
  if (effect.kind !== 'human') return false;
  const { byHost, context } = effect.ask;
  return failureContextOf({ ...defined({ by_host: byHost }), context }) !== null;
}

/**
 * What a model writes runs over what the file declares, once more: a file that does something by itself would do that again.
 * @param isWritten the run is of what a model has written
 * @throws TactusError source_invalid
 */
export function assertDeclaresOnly({ name, effect }: EffectRequest, isWritten: boolean): void {
  const isWriting = effect.kind === 'procedure' && effect.code !== undefined;
  if (isWriting || isWritten)
    throw new TactusError(
      'source_invalid',
      `${name} is asked for outside of functions; agents that write procedures need a file that only declares things: put it into a Procedure`,
    );
}

/**
 * What was answered elsewhere, which is not asked of the host; null: nothing was.
 * @throws TactusError non_determinism
 */
function toldAnswer(log: ExecutionLog, request: EffectRequest): Told | null {
  const { position, source } = request;
  const answer = log.takeAnswer(request, source);
  if (answer === null) return null;
  return { position, outcome: { ok: true, value: answerTo(request, answer) }, at: answer.at, order: 0 };
}
