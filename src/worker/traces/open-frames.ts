import { isWithin, outerPosition, type Position } from '../../contract/checkpoints/checkpoint.js';

/** Something that checkpoints stand in, and the time that these have taken. */
export interface Frame {
  position: Position;
  startMs: number;
  endMs: number;
}

type Times = Omit<Frame, 'position'>;

/** Frames of one run that are kept: those beyond it are forgotten. */
const mostFrames = 10_000;

/**
 * The frames of a run that have not ended. Those that never end by themselves, such as the branches of a parallel part, end with
 * what is around them.
 */
export class OpenFrames {
  private readonly open = new Map<Position, Times>();

  /** Something in the frame at this position has ended. */
  note(position: Position, { startMs, endMs }: Times): void {
    if (position === '') return;
    const known = this.open.get(position);
    if (known === undefined && this.open.size >= mostFrames) return;
    this.open.set(position, {
      startMs: Math.min(startMs, known?.startMs ?? startMs),
      endMs: Math.max(endMs, known?.endMs ?? endMs),
    });
  }

  /** What is at this position has ended. @returns what ends with it: inner frames before those around them */
  end(position: Position): Frame[] {
    this.open.delete(position);
    const ended: Frame[] = [];
    for (;;) {
      const [inner] = [...this.open.keys()]
        .filter((each) => position === '' || isWithin(each, position))
        .sort((a, b) => depth(b) - depth(a));
      if (inner === undefined) return ended;
      const times = this.open.get(inner) as Times;
      this.open.delete(inner);
      ended.push({ position: inner, ...times });
      const outer = outerPosition(inner);
      if (outer !== position) this.note(outer, times);
    }
  }
}

function depth(position: Position): number {
  return position.split('.').length;
}
