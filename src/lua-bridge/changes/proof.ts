import type { Divergence, ProofResult, RequestFate } from '../../contract/changes/proof.js';
import {
  comparePositions,
  isWithin,
  outerPosition,
  type Checkpoint,
  type Position,
  type SourceLine,
} from '../../contract/checkpoints/checkpoint.js';
import type { Compared } from '../../contract/effects/define-effect.js';
import { hasCode, TactusError, type NamedCheckpoint } from '../../contract/errors.js';
import {
  isSamePlace,
  mismatch,
  neverReached,
  type Asked,
  type CheckpointKey,
  type Judge,
} from '../../log/compare.js';
import type { Turn } from '../asked-effects.js';
import { Program } from '../program.js';
import type { ProgramOptions } from '../program-options.js';

/** What one of the two sources has asked for at a position. */
interface Question extends CheckpointKey {
  isFrame: boolean;
  source: SourceLine | null;
  compared: Compared;
  body: string | null;
}

export interface ProofOptions {
  /** The run as it was recorded. */
  before: ProgramOptions;
  /** The same with another source. */
  after: ProgramOptions;
  /** Positions of what is open in the run, and goes on in it: requests to people, child runs. Empty where another run begins with the log. */
  open: readonly Position[];
  /** An open request may be another one, or be gone. Left out: that is a divergence. */
  mayAskAnew?: boolean | undefined;
}

/**
 * Proves that a source fits a log that another one has recorded. Both are run by it, up to where they ask for something new: what flows
 * into each checkpoint is compared, and what configures it is listed. Nothing is performed.
 *
 * Owns: both programs, and what each of them has asked for.
 * Asks: nobody. Its host calls `advance` until it gives the result.
 * Invariants:
 *  1. The source that recorded the log is run to its end before the other one begins.
 *  2. With the digests of the result, the log is one that the new source has recorded.
 */
export class Proof {
  private readonly old = new Questions();
  private readonly recorded: ReadonlyMap<Position, Checkpoint>;
  private readonly judge: SourceJudge;
  private before: Program | null;
  private after: Program | null = null;

  constructor(private readonly options: ProofOptions) {
    const { before, open } = options;
    this.recorded = new Map(before.carried.map((each) => [each.position, each]));
    this.judge = new SourceJudge(this.old, this.recorded, open);
    this.before = new Program({ ...before, judge: this.old });
  }

  /** Goes on for a slice of instructions; null: there is more to do. */
  advance(): ProofResult | null {
    if (this.before !== null) {
      const turn = this.before.turn();
      if (turn.kind === 'slice') return null;
      if (turn.kind === 'failed' && turn.error.code === 'non_determinism') throw turn.error;
      this.before = null;
    }
    try {
      this.after ??= new Program({ ...this.options.after, judge: this.judge });
      const turn = this.after.turn();
      return turn.kind === 'slice' ? null : this.result(this.after, turn);
    } catch (error) {
      if (!(error instanceof TactusError)) throw error;
      return this.ended(0, error);
    }
  }

  private result(program: Program, turn: Turn): ProofResult {
    const { ended: kept } = program.log;
    if (turn.kind === 'failed') return this.ended(kept, turn.error);
    const lost = this.judge.lost(program.pending);
    if (lost !== null) return this.ended(kept, lost);
    const requests = this.fates(program);
    const unasked = this.options.mayAskAnew === true ? undefined : firstLost(requests);
    if (unasked !== undefined) return { ...this.ended(kept, this.otherRequest(unasked, program)), requests };
    return { ...this.ended(kept, null), requests };
  }

  private ended(kept: number, error: TactusError | null): ProofResult {
    const { changed, digests } = this.judge;
    const isDivergence = error !== null && hasCode(error, 'non_determinism');
    return {
      verdict: error === null ? 'fits' : isDivergence ? 'diverges' : 'failed',
      kept,
      diverges: isDivergence ? this.judge.divergenceOf(error) : null,
      failed: error === null || isDivergence ? null : error.toRunError(),
      changed: [...changed].sort((a, b) => comparePositions(a.position, b.position)),
      requests: {},
      digests: Object.fromEntries(digests),
    };
  }

  private fates({ pending }: Program): Record<Position, RequestFate> {
    const fateOf = (position: Position): RequestFate => {
      const asked = this.old.at(position);
      const isAsked = pending.some((each) => each.position === position && each.effect.kind === 'human');
      if (!isAsked) return 'gone';
      const now = this.judge.asked.at(position);
      return asked !== null && now !== null && isSameRequest(asked, now) ? 'kept' : 'asked_anew';
    };
    const requests = this.options.open.filter((position) => this.old.at(position)?.type.startsWith('hitl_'));
    return Object.fromEntries(requests.map((position) => [position, fateOf(position)]));
  }

  private otherRequest(position: Position, program: Program): TactusError {
    const asked = this.old.at(position);
    if (asked === null) throw new Error(`no request was open at ${position}`);
    const now = program.pending.find((each) => each.position === position);
    if (now === undefined)
      return neverReached(
        asked,
        program.pending.filter((each) => !isWithin(each.position, position)),
      );
    return mismatch({ ...asked, input: null }, { ...now, input: null }, now.source);
  }
}

/** All that a program asks for, by position. */
class Questions implements Judge {
  private readonly asked = new Map<Position, Question>();

  onAsked({ position, type, name, digest, isFrame, compared, body }: Asked, source: SourceLine | null): void {
    const key = { position, type, name, digest };
    this.asked.set(position, { ...key, isFrame, source, compared: compared(), body: body?.() ?? null });
  }

  accepts(): boolean {
    return false;
  }

  at(position: Position): Question | null {
    return this.asked.get(position) ?? null;
  }

  get all(): Iterable<Question> {
    return this.asked.values();
  }
}

/** Compares what the new source asks for with what the old one has asked for at the same position. */
class SourceJudge implements Judge {
  readonly asked = new Questions();
  readonly changed: ProofResult['changed'] = [];
  readonly digests = new Map<Position, string>();

  constructor(
    private readonly old: Questions,
    private readonly recorded: ReadonlyMap<Position, Checkpoint>,
    private readonly open: readonly Position[],
  ) {}

  onAsked(asked: Asked, source: SourceLine | null): void {
    this.asked.onAsked(asked, source);
    const { position } = asked;
    const [before, now] = [this.old.at(position), this.asked.at(position)];
    if (before === null || now === null) return;
    const isRecorded = this.recorded.has(position);
    if (!isRecorded && !this.isOpenFrame(before)) return;
    if (!isRecorded && !isSameFrame(before, now))
      throw mismatch({ ...before, input: null }, { ...now, input: null }, source);
    const moved = isRecorded ? this.movedFrom(before, now) : null;
    if (moved !== null)
      throw new TactusError(
        'non_determinism',
        `NonDeterminismError at position ${position}: the function that this checkpoint calls is that of ${moved.position} in what is recorded. Give back each its place, or name them with step`,
        { position, expected: keyOf(before), found: keyOf(now), ...(source ?? {}) },
      );
    if (isRecorded && isSamePlace(before, now) && before.compared.data === now.compared.data)
      this.list(before, now);
  }

  accepts(recorded: CheckpointKey, asked: Asked): boolean {
    const before = this.old.at(asked.position);
    if (before === null || !isSamePlace(recorded, asked)) return false;
    if (before.compared.data !== asked.compared().data) return false;
    this.digests.set(asked.position, asked.digest);
    return true;
  }

  /** A frame that is open in the run, and that the new source has left out; null: there is none. */
  lost(pending: Program['pending']): TactusError | null {
    for (const before of this.old.all)
      if (this.isOpenFrame(before) && this.asked.at(before.position) === null)
        return neverReached(before, pending);
    return null;
  }

  divergenceOf(error: TactusError<'non_determinism'>): Divergence {
    const { position = '', expected, found, file, line } = error.details;
    const told = { expected: expected as NamedCheckpoint, message: error.message };
    const added = this.addedFrame(position);
    if (added !== null) return { ...told, ...added.source, position: added.position, found: keyOf(added) };
    return { ...told, position, file: file ?? null, line: line ?? null, found: found as Divergence['found'] };
  }

  /** The outermost of the frames around a position that the old source hadn't; null: there is none. */
  private addedFrame(position: Position): (Question & { source: SourceLine }) | null {
    const outer = outerPosition(position);
    if (outer === '' || this.old.at(position) !== null) return null;
    const asked = this.asked.at(outer);
    if (asked?.isFrame !== true || asked.source === null || this.old.at(outer) !== null) return null;
    return this.addedFrame(outer) ?? { ...asked, source: asked.source };
  }

  private list(before: Question, now: Question): void {
    const { position, name } = before;
    const names = new Set([...Object.keys(before.compared.settings), ...Object.keys(now.compared.settings)]);
    const settings = [...names].filter(
      (each) => before.compared.settings[each] !== now.compared.settings[each],
    );
    const type = this.recorded.get(position)?.type;
    if (settings.length > 0 && type !== undefined)
      this.changed.push({ position, type, name, settings: settings.sort() });
  }

  /** It has not ended, and something in it is recorded, or goes on. */
  private isOpenFrame({ position, isFrame }: Question): boolean {
    if (!isFrame || this.recorded.has(position)) return false;
    const isInside = (each: Position): boolean => each !== position && isWithin(each, position);
    return [...this.recorded.keys()].some(isInside) || this.open.some(isInside);
  }

  /** The recorded checkpoint that called what this one calls now; null: there is none. A function that was edited is like no other. */
  private movedFrom(before: Question, now: Question): Question | null {
    if (now.body === null || before.body === now.body) return null;
    for (const other of this.old.all)
      if (other.position !== now.position && other.body === now.body && this.recorded.has(other.position))
        return other;
    return null;
  }
}

/** How many branches there are is told when the last has ended. */
function isSameFrame(before: Question, now: Question): boolean {
  return (
    isSamePlace(before, now) && (before.type === 'parallel' || before.compared.data === now.compared.data)
  );
}

/** An edit of anything of it makes it another request. */
function isSameRequest(before: Question, now: Question): boolean {
  const settings = Object.keys({ ...before.compared.settings, ...now.compared.settings });
  return (
    isSamePlace(before, now) &&
    before.compared.data === now.compared.data &&
    settings.every((each) => before.compared.settings[each] === now.compared.settings[each])
  );
}

function firstLost(requests: Record<Position, RequestFate>): Position | undefined {
  return Object.keys(requests)
    .sort(comparePositions)
    .find((position) => requests[position] !== 'kept');
}

function keyOf({ position, type, name, digest }: Question): NamedCheckpoint {
  return { position, type, name, digest };
}
