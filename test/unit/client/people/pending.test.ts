import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { expect, it } from 'vitest';
import { TactusClient } from '../../../../src/client/tactus-client.js';

/** Runs that ask something, start some runs, and wait for others. */
type Runs = Record<string, { children?: string[]; waitsFor?: string[] }>;

function clientOf(runs: Runs): { tactus: TactusClient; asked: string[] } {
  const asked: string[] = [];
  const query = (id: string): Promise<unknown> => {
    asked.push(id);
    const run = runs[id];
    if (run === undefined) return Promise.reject(new WorkflowNotFoundError('none', id, undefined));
    const { children = [], waitsFor = [] } = run;
    const created_at = `2026-01-01T00:00:0${asked.length}.000Z`;
    return Promise.resolve({
      pending: [{ id: `${id}/0`, created_at }],
      waits: [{ runs: waitsFor }],
      children,
    });
  };
  const client = { withDeadline: (_: number, ask: () => Promise<unknown>) => ask() };
  const workflow = { getHandle: (id: string) => ({ client, query: () => query(id) }) };
  return { tactus: new TactusClient({ workflow, options: { plugins: [] } } as unknown as Client), asked };
}

it.each<[string, Runs]>([
  ['each other', { a: { waitsFor: ['b'] }, b: { waitsFor: ['a'] } }],
  ['themselves', { a: { waitsFor: ['a', 'b'] }, b: { waitsFor: ['b'] } }],
  ['the same one', { a: { children: ['b', 'b'], waitsFor: ['b'] }, b: {} }],
])('asks runs once that wait for %s', async (_name, runs) => {
  const { tactus, asked } = clientOf(runs);
  expect((await tactus.pending('a')).map(({ id }) => id)).toEqual(['a/0', 'b/0']);
  expect(asked).toEqual(['a', 'b']);
});

it('passes over a child that is just starting, but not over a run that is asked for', async () => {
  const { tactus } = clientOf({ a: { children: ['a/1'] } });
  expect(await tactus.pending('a')).toHaveLength(1);
  await expect(tactus.pending('b')).rejects.toMatchObject({ code: 'run_not_found' });
});
