import type { Trial, TrialAnswer } from '../contract/changes/trial.js';
import type { EffectRequest, Outcome, Position } from '../contract/checkpoints/checkpoint.js';
import { definitionOf, effectCompared, type EffectKind } from '../contract/effects/effects.js';
import type { JsonValue } from '../contract/json/json.js';
import { answerTo, isSamePlace, mismatch, notRecorded, type CheckpointKey } from './compare.js';

/** What changes no data, and is not done in a trial all the same: it waits for somebody or something, or is of this very run. */
const neverDone: ReadonlySet<EffectKind> = new Set([
  ...(['sleep', 'event', 'children', 'steer'] as const),
  ...(['defer', 'cancel_child', 'continue_as_new', 'retry_here'] as const),
]);

/** Who answers what a program asks for: an answer from elsewhere, the host, or nobody, ever. */
export type TrialFate = { outcome: Outcome; at: number; order: number } | 'host' | 'nobody';

/**
 * Answers of another run, for a program that tries a source with them.
 *
 * Owns: the answers, by their position.
 * Asks: nobody.
 * Invariant: what may be done once alone is never left to the host.
 */
export class TrialAnswers {
  private readonly recorded: ReadonlyMap<Position, TrialAnswer & { order: number }>;

  constructor(private readonly trial: Trial) {
    this.recorded = new Map(trial.answers.map((each, order) => [each.position, { ...each, order }]));
  }

  /** @throws TactusError non_determinism where nothing is recorded for it, and it isn't done */
  find(request: EffectRequest, now: number): TrialFate {
    const { position, effect, source } = request;
    const recorded = this.recorded.get(position);
    const effectClass = definitionOf(effect.kind).effectClass(effect);
    if (this.isDone(effectClass, effect.kind)) return 'host';
    const { data } = effectCompared(effect);
    if (recorded !== undefined && isSamePlace(keyOf(recorded), request) && recorded.data === data)
      return recorded.outcome === null ? 'nobody' : { ...recorded, outcome: recorded.outcome };
    // It may be another one, or of a turn that the other run had no need of: either way, nothing is late.
    if (isDeadline(request)) return 'nobody';
    const { decide } = this.trial;
    if (effectClass === 'human' && decide !== undefined) return this.decided(request, decide, now);
    if (recorded === undefined) throw notRecorded(request, source);
    const { type, name } = request;
    throw mismatch(keyOf(recorded), { position, type, name, digest: data }, source);
  }

  /** Its place among all that ended then; what did not is behind them. */
  orderOf(position: Position): number {
    return this.recorded.get(position)?.order ?? Infinity;
  }

  /** How long this took then, in ms. */
  durationOf(position: Position): number {
    return this.recorded.get(position)?.durationMs ?? 0;
  }

  private isDone(effectClass: string, kind: EffectKind): boolean {
    if (effectClass === 'model') return true;
    return this.trial.mode === 'live' && /^(pure|idempotent)$/.test(effectClass) && !neverDone.has(kind);
  }

  private decided(request: EffectRequest, value: JsonValue, now: number): TrialFate {
    const { position, type } = request;
    const answer = { position, type, value, at: now, durationMs: 0, source: null };
    return { outcome: { ok: true, value: answerTo(request, answer) }, at: now, order: this.recorded.size };
  }
}

/** The timer of what is to be done in time: see `lua-bridge/checkpoints/in-time.ts`. */
function isDeadline({ name, effect: { kind } }: EffectRequest): boolean {
  return (kind === 'sleep' || kind === 'defer') && name.startsWith('deadline ');
}

function keyOf({ position, type, name, data: digest }: TrialAnswer): CheckpointKey {
  return { position, type, name, digest };
}
