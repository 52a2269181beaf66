import { mayBeDone, type AskedAgain } from '../../contract/changes/proof.js';
import type { EffectRequest, Position } from '../../contract/checkpoints/checkpoint.js';
import { definitionOf, effectCompared } from '../../contract/effects/effects.js';
import { isSamePlace } from '../../log/compare.js';
import type { Turn } from '../asked-effects.js';
import type { Program } from '../program.js';
import type { Undone } from './source-judge.js';

/**
 * What a program asks for after its log, answered by what the run was answered before to the same.
 *
 * Owns: which answers the program has yet to look at, and what it has asked for.
 * Asks: the program, which it runs on.
 */
export class Forecast {
  readonly again: AskedAgain[] = [];
  private readonly settled = new Set<Position>();

  /**
   * @param turn with which the program came to the end of its log
   * @param failed positions whose answers are none: what is there is tried again
   */
  constructor(
    private readonly program: Program,
    turn: Turn,
    private readonly undone: ReadonlyMap<Position, Undone>,
    private readonly failed: ReadonlySet<Position>,
  ) {
    this.look(turn);
  }

  /** Goes on for a slice of instructions. Gives whether there is nothing more to tell. */
  advance(): boolean {
    if (!this.program.pending.some(({ position }) => this.settled.has(position))) return true;
    const turn = this.program.turn();
    this.look(turn);
    return turn.kind === 'completed' || turn.kind === 'failed';
  }

  private look(turn: Turn): void {
    if (turn.kind !== 'blocked') return;
    for (const request of turn.asked) {
      const { position, name, effect } = request;
      const effectClass = definitionOf(effect.kind).effectClass(effect);
      const found = this.find(request, effectClass === 'once');
      const repeats =
        effectClass === 'once' && found !== null && mayBeDone(found.checkpoint?.outcome ?? null);
      this.again.push({ position, type: request.type, name, effect: effectClass, repeats });
      if (found?.asked.position !== position || found.checkpoint === null) continue;
      if (this.failed.has(position)) continue;
      this.program.settle(position, found.checkpoint.outcome, found.checkpoint.at);
      this.settled.add(position);
    }
  }

  /** The very same at the same position; what may be done once alone, anywhere: an edit may have moved it. */
  private find(request: EffectRequest, isOnce: boolean): Undone | null {
    const { data } = effectCompared(request.effect);
    const isSame = ({ asked }: Undone, position: Position): boolean =>
      isSamePlace({ ...asked, position }, request) && asked.compared.data === data;
    const there = this.undone.get(request.position);
    if (there !== undefined && isSame(there, there.asked.position)) return there;
    if (!isOnce) return null;
    return [...this.undone.values()].find((each) => isSame(each, request.position)) ?? null;
  }
}
