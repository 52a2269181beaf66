import { expect, it, vi } from 'vitest';
import { NamespaceWatch } from '../../../../src/server/events/namespace-watch.js';
import type { RequestBoard } from '../../../../src/server/people/request-board.js';
import type { ServedNamespace } from '../../../../src/server/served-namespace.js';

/** Each list of runs that the watch asks for, answered by the test. */
const lists = vi.hoisted(() => [] as ((page: { runs: never[] }) => void)[]);

vi.mock(import('../../../../src/server/served-namespace.js'), async (original) => ({
  ...(await original()),
  runPage: () => new Promise<never>((resolve) => lists.push(resolve as never)),
}));

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('whoever comes while the first look is under way is told to read all only after it', async () => {
  const board = { look: () => Promise.resolve({ requests: [], missing: [] }) };
  const watch = new NamespaceWatch({} as ServedNamespace, board as unknown as RequestBoard);
  const over = new AbortController();
  const sent: string[] = [];
  const follow = (name: string): Promise<void> =>
    watch.follow(undefined, over.signal, ({ event }) => {
      sent.push(`${name}: ${event}`);
      return Promise.resolve();
    });
  const all = [follow('first'), follow('second')];
  await settled();
  // One look for both, and what changes before it has ended is in what they read after it.
  expect(lists).toHaveLength(2);
  expect(sent).toEqual([]);
  for (const answer of lists) answer({ runs: [] });
  await settled();
  expect(sent.sort()).toEqual(['first: reset', 'second: reset']);
  watch.close();
  over.abort();
  await Promise.all(all);
});
