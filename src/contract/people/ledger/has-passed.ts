import type { Position } from '../../checkpoints/position.js';
import type { Ledger } from './ledger-shape.js';

/**
 * Whether the requests known to the ledger prove that nothing new can open at `position`: positions of one frame
 * are given out in order, and one with a request inside of it is a frame itself. Says nothing of positions in
 * frames without a known request.
 */
export function hasPassed(ledger: Ledger, position: Position): boolean {
  const prefix = `${ledger.runId}/${frameOf(position)}`;
  const index = indexOf(position);
  return [...ledger.open, ...ledger.closed].some(({ id }) => {
    const rest = id.startsWith(prefix) ? id.slice(prefix.length) : '';
    return rest !== '' && Number.parseInt(rest, 10) >= index;
  });
}

/** `4.0.` for `4.0.2`, nothing for `4`. */
function frameOf(position: Position): string {
  return position.slice(0, position.lastIndexOf('.') + 1);
}

function indexOf(position: Position): number {
  return Number(position.slice(position.lastIndexOf('.') + 1));
}
