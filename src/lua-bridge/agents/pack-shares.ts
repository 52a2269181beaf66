import type { PackDirective } from './context-declaration.js';

/**
 * What each of several packs may have of so many words: by their weights, and what is left over for the first. One that comes too
 * late in the order of priority has no share.
 */
export function sharesOf(packs: readonly PackDirective[], total: number): Map<PackDirective, number> {
  const order = [...packs].sort((a, b) => b.priority - a.priority || b.weight - a.weight);
  const weights = order.reduce((sum, { weight }) => sum + weight, 0);
  const shares = new Map<PackDirective, number>();
  let left = Math.floor(total);
  for (const pack of order) {
    if (left <= 0) break;
    const share = Math.min(left, Math.max(1, Math.floor((total * pack.weight) / weights)));
    shares.set(pack, share);
    left -= share;
  }
  const [first] = order;
  if (first !== undefined && left > 0) shares.set(first, (shares.get(first) ?? 0) + left);
  return shares;
}
