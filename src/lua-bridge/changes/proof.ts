import type { ProofResult, RequestFate } from '../../contract/changes/proof.js';
import { comparePositions, type Checkpoint, type Position } from '../../contract/checkpoints/checkpoint.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import { isSamePlace, mismatch, neverReached } from '../../log/compare.js';
import type { Turn } from '../asked-effects.js';
import { Program } from '../program.js';
import type { ProgramOptions } from '../program-options.js';
import { Forecast } from './forecast.js';
import { endOf, type ProgramEnd } from './program-end.js';
import { Questions, SourceJudge, type Question } from './source-judge.js';

export interface ProofOptions {
  /** The whole log of the run. */
  log: readonly Checkpoint[];
  /** The run as it was recorded; null: its source isn't known, and digests alone are compared. */
  before: Omit<ProgramOptions, 'carried'> | null;
  /** What is to go on: with another source, or with a part of the log, or with another result in it. */
  after: ProgramOptions;
  /** Positions of what is open in the run, and goes on in it: requests to people, timers, child runs. Empty where another run begins with the log. */
  open: readonly Position[];
  /** What is open may be another question, or be gone. Left out: that is a divergence. */
  mayAskAnew?: boolean | undefined;
  /** Nobody waits any more for what the run has asked for without an answer. Left out: it ends first, and its answer counts. */
  isGivenUp?: boolean | undefined;
  /** Positions of what failed, and of what was done because of that: how it ended before says nothing of what comes now. */
  failed?: readonly Position[] | undefined;
}

/**
 * Proves that a source fits a log that another one has recorded. Both are run by it, up to where they ask for something new: what flows
 * into each checkpoint is compared, and what configures it is listed. Then what is left of the log answers as far as it can, which
 * tells what will be asked for again. Nothing is performed.
 *
 * Owns: both programs, and what each of them has asked for.
 * Asks: nobody. Its host calls `advance` until it gives the result.
 * Invariants:
 *  1. The source that recorded the log is run to its end before the other one begins.
 *  2. With the digests of the result, the log is one that the new source has recorded.
 */
export class Proof {
  /** How both sources end by the log; null: that one hasn't, or isn't known. */
  readonly ends: { before: ProgramEnd | null; after: ProgramEnd | null } = { before: null, after: null };
  private readonly old = new Questions();
  private readonly judge: SourceJudge;
  private before: Program | null;
  private after: Program | null = null;
  private found: { result: ProofResult; forecast: Forecast } | null = null;

  constructor(private readonly options: ProofOptions) {
    const { log, before, after, open } = options;
    const recorded = new Map(after.carried.map((each) => [each.position, each]));
    this.judge = new SourceJudge(this.old, recorded, open);
    this.before = before === null ? null : new Program({ ...before, carried: log, judge: this.old });
  }

  /** Goes on for a slice of instructions; null: there is more to do. */
  advance(): ProofResult | null {
    if (this.before !== null) {
      const turn = this.before.turn();
      if (turn.kind === 'slice') return null;
      this.ends.before = endOf(this.before, turn);
      this.before = null;
    }
    if (this.found !== null) {
      const { result, forecast } = this.found;
      if (!forecast.advance()) return null;
      return { ...result, again: forecast.again.filter(({ position }) => result.open[position] !== 'kept') };
    }
    try {
      this.after ??= new Program({ ...this.options.after, judge: this.judge });
      const turn = this.after.turn();
      if (turn.kind === 'slice') return null;
      this.ends.after = endOf(this.after, turn);
      const result = this.result(this.after, turn);
      if (result.verdict !== 'fits' || turn.kind !== 'blocked') return result;
      const { log, isGivenUp = false, failed = [] } = this.options;
      const undone = this.judge.undone(log, isGivenUp);
      const forecast = new Forecast(this.after, turn, undone, new Set(failed));
      this.found = { result, forecast };
      return null;
    } catch (error) {
      if (!(error instanceof TactusError)) throw error;
      return this.ended(0, error);
    }
  }

  /** Where the sources part ways behind the end of the log; null: nowhere. */
  beyond(): ReturnType<SourceJudge['beyond']> {
    return this.judge.beyond();
  }

  private result(program: Program, turn: Turn): ProofResult {
    const { ended: kept } = program.log;
    if (turn.kind === 'failed') return this.ended(kept, turn.error);
    const lost = this.judge.lost(program.pending);
    if (lost !== null) return this.ended(kept, lost);
    const open = this.fates(program);
    const unasked = this.options.mayAskAnew === true ? undefined : firstLost(open);
    if (unasked !== undefined) return { ...this.ended(kept, this.otherQuestion(unasked, program)), open };
    this.judge.keep(Object.keys(open).filter((position) => open[position] === 'kept'));
    return { ...this.ended(kept, null), open };
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
      open: {},
      again: [],
      digests: Object.fromEntries(digests),
    };
  }

  private fates({ pending }: Program): Record<Position, RequestFate> {
    const fateOf = (position: Position): RequestFate => {
      const asked = this.old.at(position);
      const now = this.judge.asked.at(position);
      const isAsked = now !== null && pending.some((each) => each.position === position);
      if (asked === null || !isAsked || kindOf(asked) !== kindOf(now)) return 'gone';
      return isSameQuestion(asked, now) ? 'kept' : 'asked_anew';
    };
    const open = this.options.open.filter((position) => this.old.at(position) !== null);
    return Object.fromEntries(open.map((position) => [position, fateOf(position)]));
  }

  private otherQuestion(position: Position, program: Program): TactusError {
    const asked = this.old.at(position);
    if (asked === null) throw new Error(`nothing was open at ${position}`);
    // An effect, or a frame that waits for what is in it.
    const now = this.judge.asked.at(position);
    if (now === null) return neverReached(asked, program.pending);
    return mismatch(asked, now, now.source);
  }
}

function kindOf({ type }: Question): string {
  return type.startsWith('hitl_') ? 'human' : type;
}

/** An edit of anything of a request makes it another one; of a timer, or a child that is under way, of what flows into it. */
function isSameQuestion(before: Question, now: Question): boolean {
  const settings =
    kindOf(before) === 'human' ? Object.keys({ ...before.compared.settings, ...now.compared.settings }) : [];
  return (
    isSamePlace(before, now) &&
    before.compared.data === now.compared.data &&
    settings.every((each) => before.compared.settings[each] === now.compared.settings[each])
  );
}

function firstLost(open: Record<Position, RequestFate>): Position | undefined {
  return Object.keys(open)
    .sort(comparePositions)
    .find((position) => open[position] !== 'kept');
}
