/** Where a checkpoint stands in its run: `3`, or `4.0.2` inside step 4, branch 0. */
export type Position = string;

export function childPosition(parent: Position, index: number): Position {
  return parent === '' ? String(index) : `${parent}.${index}`;
}

/** Orders positions as people read them: `4` before `4.0` before `4.0.2` before `4.10` before `5`. */
export function comparePositions(a: Position, b: Position): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Whether a position is another one, or inside of it. */
export function isWithin(position: Position, outer: Position): boolean {
  return position === outer || position.startsWith(`${outer}.`);
}
