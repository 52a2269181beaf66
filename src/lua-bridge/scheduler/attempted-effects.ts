import { mayBeDone, type AskedAgain } from '../../contract/changes/proof.js';
import {
  isWithin,
  type EffectRequest,
  type Outcome,
  type Position,
} from '../../contract/checkpoints/checkpoint.js';
import type { AskedClass } from '../../contract/effects/define-effect.js';
import { definitionOf } from '../../contract/effects/effects.js';
import { asJson, jsonAs, jsonSize, type JsonValue } from '../../contract/json/json.js';

/** So many are kept of each class, and so many are told of, with no more bytes than this. */
const mostKept = 20;
const mostBytes = 5_000;

/** The first to be told of: what must not be done twice, then what costs people's time, and money. */
const byWeight: readonly AskedClass[] = ['once', 'human', 'model', 'idempotent', 'pure'];

interface Kept {
  effects: AskedAgain[];
  counts: Partial<Record<AskedClass, number>>;
  secondTime: number;
}

/** What another attempt asks again: so many of it are listed, in the order of asking. */
export interface Repeats {
  effects: AskedAgain[];
  /** How many aren't listed. */
  more: number;
  /** How many of all have been done, or may have been, and may be done once alone. */
  secondTime: number;
}

/**
 * Effects that a part of the procedure has asked for, of which another attempt may be made.
 *
 * Owns: the first effects of each class, and how many there are; whether people have just given up something inside of it.
 * Invariants:
 *  1. It follows from what was asked and answered alone, and a snapshot has it: a replay comes to the same.
 *  2. People have given up what the part fails with where it asks for nothing after that: compensations don't count.
 *  3. What may be done once alone counts in all attempts, all else in the last one.
 */
export class AttemptedEffects {
  private kept: Kept = { effects: [], counts: {}, secondTime: 0 };

  private isGivenUp = false;

  /**
   * @param outer of the part around this one; null: there is none
   * @param isListed false: nobody wants to know what it has asked for
   */
  constructor(
    readonly outer: AttemptedEffects | null,
    private readonly isListed = true,
  ) {}

  get hasGivenUp(): boolean {
    return this.isGivenUp;
  }

  giveUp(): void {
    this.isGivenUp = true;
  }

  /** Another attempt begins. */
  begin(): void {
    this.isGivenUp = false;
    const { effects, counts, secondTime } = this.kept;
    const once = effects.filter(({ effect }) => effect === 'once');
    this.kept = { effects: once, counts: { once: counts.once ?? 0 }, secondTime };
  }

  note({ position, type, name, effect: asked }: EffectRequest): void {
    this.isGivenUp = false;
    if (!this.isListed) return;
    const { effects, counts } = this.kept;
    const effect = definitionOf(asked.kind).effectClass(asked);
    const count = counts[effect] ?? 0;
    counts[effect] = count + 1;
    const repeats = effect === 'once';
    if (repeats) this.kept.secondTime++;
    if (count < mostKept) effects.push({ position, type, name, effect, repeats });
  }

  /** It was refused before it began. */
  refuse({ position, effect: asked }: EffectRequest): void {
    if (!this.isListed || definitionOf(asked.kind).effectClass(asked) !== 'once') return;
    this.kept.secondTime--;
    const kept = this.kept.effects.find((each) => each.position === position);
    if (kept !== undefined) kept.repeats = false;
  }

  get repeats(): Repeats {
    const { effects, counts, secondTime } = this.kept;
    const told = new Set<AskedAgain>();
    let bytes = 0;
    for (const each of byWeight.flatMap((wanted) => effects.filter(({ effect }) => effect === wanted))) {
      bytes += jsonSize(asJson(each));
      if (told.size === mostKept || bytes > mostBytes) break;
      told.add(each);
    }
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { effects: effects.filter((each) => told.has(each)), more: all - told.size, secondTime };
  }

  /** Whether something that was asked for there may be done once alone, and may have been done; also where that isn't known any more. */
  mayRepeat(outer: Position): boolean {
    const { effects, counts } = this.kept;
    const isKnown = effects.some(({ position, repeats }) => repeats && isWithin(position, outer));
    return isKnown || (counts.once ?? 0) > mostKept;
  }

  /** As JSON, for a snapshot. */
  handOver(): JsonValue {
    return this.isListed
      ? { ...this.kept, effects: asJson(this.kept.effects), isGivenUp: this.isGivenUp }
      : this.isGivenUp;
  }

  goOnWith(taken: JsonValue): void {
    if (typeof taken === 'boolean') this.isGivenUp = taken;
    else ({ isGivenUp: this.isGivenUp, ...this.kept } = jsonAs<Kept & { isGivenUp: boolean }>(taken));
  }
}

/** An effect is asked for within these parts. */
export function noteAsked(innermost: AttemptedEffects | undefined, request: EffectRequest): void {
  for (const each of partsFrom(innermost)) each.note(request);
}

/** It has its answer. */
export function noteAnswered(
  innermost: AttemptedEffects | undefined,
  request: EffectRequest,
  outcome: Outcome,
): void {
  if (outcome.ok) return;
  if (!mayBeDone(outcome)) for (const each of partsFrom(innermost)) each.refuse(request);
  if (outcome.givenUp === true) noteGivenUp(innermost);
}

/** People have given up what these parts fail with now, unless somebody catches it. */
export function noteGivenUp(innermost: AttemptedEffects | undefined): void {
  for (const each of partsFrom(innermost)) each.giveUp();
}

/** The innermost first. */
export function partsFrom(innermost: AttemptedEffects | undefined): AttemptedEffects[] {
  const parts: AttemptedEffects[] = [];
  for (let each = innermost ?? null; each !== null; each = each.outer) parts.push(each);
  return parts;
}
