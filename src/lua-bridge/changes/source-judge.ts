import type { Divergence, ProofResult } from '../../contract/changes/proof.js';
import {
  outerPosition,
  type Checkpoint,
  type Position,
  type SourceLine,
} from '../../contract/checkpoints/checkpoint.js';
import type { Compared } from '../../contract/effects/define-effect.js';
import type { NamedCheckpoint, TactusError } from '../../contract/errors.js';
import {
  isSamePlace,
  keyOf,
  mismatch,
  movedFunction,
  neverReached,
  type Asked,
  type CheckpointKey,
  type Judge,
} from '../../log/compare.js';
import type { Program } from '../program.js';

/** What one of the two sources has asked for at a position. */
export interface Question extends CheckpointKey {
  isFrame: boolean;
  source: SourceLine | null;
  compared: Compared;
  body: string | null;
}

/** What the run has asked for that isn't recorded where it goes on. */
export interface Undone {
  asked: Question;
  /** null: the run never had its answer, and it may have been done all the same. */
  checkpoint: Checkpoint | null;
}

/** All that a program asks for, by position. */
export class Questions implements Judge {
  private readonly asked = new Map<Position, Question>();
  /** Positions of unnamed checkpoints, by the digest of the function that they call. */
  private readonly calling = new Map<string, Position[]>();

  onAsked({ position, type, name, digest, isFrame, compared, body }: Asked, source: SourceLine | null): void {
    const key = { position, type, name, digest };
    const question = { ...key, isFrame, source, compared: compared(), body: body?.() ?? null };
    this.asked.set(position, question);
    if (question.body === null) return;
    const calling = this.calling.get(question.body);
    if (calling === undefined) this.calling.set(question.body, [position]);
    else calling.push(position);
  }

  accepts(): boolean {
    return false;
  }

  at(position: Position): Question | null {
    return this.asked.get(position) ?? null;
  }

  callingOf(body: string): readonly Position[] {
    return this.calling.get(body) ?? [];
  }

  get all(): Iterable<Question> {
    return this.asked.values();
  }
}

/** Compares what the new source asks for with what the old one has asked for at the same position. */
export class SourceJudge implements Judge {
  readonly asked = new Questions();
  readonly changed: ProofResult['changed'] = [];
  readonly digests = new Map<Position, string>();
  /** Positions in which something is recorded, or goes on. */
  private readonly around = new Set<Position>();

  constructor(
    private readonly old: Questions,
    private readonly recorded: ReadonlyMap<Position, Checkpoint>,
    open: readonly Position[],
  ) {
    for (const position of [...recorded.keys(), ...open])
      for (let outer = outerPosition(position); outer !== ''; outer = outerPosition(outer))
        this.around.add(outer);
  }

  onAsked(asked: Asked, source: SourceLine | null): void {
    this.asked.onAsked(asked, source);
    const { position } = asked;
    const [before, now] = [this.old.at(position), this.asked.at(position)];
    if (before === null || now === null) return;
    const isRecorded = this.recorded.has(position);
    if (!isRecorded && !this.isOpenFrame(before)) return;
    if (!isRecorded && !isSameFrame(before, now)) throw mismatch(before, now, source);
    const moved = isRecorded ? this.movedFrom(before, now) : null;
    if (moved !== null) throw movedFunction(before, now, source, moved);
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

  /** What is open stays so, and will be recorded by the source that asked for it first. */
  keep(open: readonly Position[]): void {
    for (const position of open) {
      const now = this.asked.at(position);
      if (now !== null && now.digest !== this.old.at(position)?.digest)
        this.digests.set(position, now.digest);
    }
  }

  /** A frame that is open in the run, and that the new source has left out; null: there is none. */
  lost(pending: Program['pending']): TactusError | null {
    for (const before of this.old.all)
      if (this.isOpenFrame(before) && this.asked.at(before.position) === null)
        return neverReached(before, pending);
    return null;
  }

  /**
   * Effects that the run has asked for, and that aren't recorded where it goes on.
   * @param isGivenUp what has no answer counts as well, but child runs: of those it is known how they stand
   */
  undone(log: readonly Checkpoint[], isGivenUp: boolean): Map<Position, Undone> {
    const undone = new Map<Position, Undone>();
    const answers = new Map(log.map((each) => [each.position, each]));
    for (const asked of this.old.all) {
      const { position, type, isFrame } = asked;
      if (isFrame || this.recorded.has(position)) continue;
      const checkpoint = answers.get(position) ?? null;
      if (checkpoint !== null || (isGivenUp && !type.startsWith('procedure_')))
        undone.set(position, { asked, checkpoint });
    }
    return undone;
  }

  /** The first that one of the sources asks for behind the end of the log, and the other one doesn't; null: there is none. */
  beyond(): (Omit<Divergence, 'expected'> & { expected: NamedCheckpoint | null }) | null {
    for (const now of this.asked.all) {
      const { position } = now;
      const before = this.old.at(position);
      if (this.recorded.has(position) || (before !== null && isSameFrame(before, now))) continue;
      if (before !== null) return this.divergenceOf(mismatch(before, now, now.source));
      const added = this.addedFrame(position) ?? now;
      return { ...noPlace, ...added.source, ...neverRecorded(added) };
    }
    for (const before of this.old.all)
      if (!this.recorded.has(before.position) && this.asked.at(before.position) === null)
        return this.divergenceOf(neverReached(before, []));
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
    return isFrame && !this.recorded.has(position) && this.around.has(position);
  }

  /** The recorded checkpoint that called what this one calls now; null: there is none. A function that was edited is like no other. */
  private movedFrom(before: Question, now: Question): Position | null {
    if (now.body === null || before.body === now.body) return null;
    const isOther = (position: Position): boolean => position !== now.position && this.recorded.has(position);
    return this.old.callingOf(now.body).find(isOther) ?? null;
  }
}

const noPlace = { file: null, line: null };

/** The log has no more to answer what is asked for. */
function neverRecorded(
  asked: Question,
): Pick<Divergence, 'position' | 'found' | 'message'> & { expected: null } {
  const { position, type, name } = asked;
  const message = `Nothing is recorded at position ${position}: the procedure now asks for ${type} '${name}' there`;
  return { position, expected: null, found: keyOf(asked), message };
}

/** How many branches there are is told when the last has ended. */
function isSameFrame(before: Question, now: Question): boolean {
  return (
    isSamePlace(before, now) && (before.type === 'parallel' || before.compared.data === now.compared.data)
  );
}
