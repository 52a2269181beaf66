import { QueryNotRegisteredError, type WorkflowHandle } from '@temporalio/client';
import { expect, it } from 'vitest';
import { queryRun } from '../../../../src/client/runs/messages.js';
import { aheadMessage } from '../../../../src/contract/names.js';

/** A run that fails so many questions, one after the other, before it answers. */
function runThatFails(messages: string[]): { handle: WorkflowHandle; asked: unknown[][] } {
  const asked: unknown[][] = [];
  const query = (...question: unknown[]): Promise<string> => {
    asked.push(question);
    const message = messages.shift();
    return message === undefined
      ? Promise.resolve('answer')
      : Promise.reject(new QueryNotRegisteredError(message, 3));
  };
  const withDeadline = (_: number, ask: () => unknown): unknown => ask();
  return { handle: { query, client: { withDeadline } } as unknown as WorkflowHandle, asked };
}

it('asks again where the workflow task that the question came with begins anew', async () => {
  const { handle, asked } = runThatFails([aheadMessage, `Error: ${aheadMessage}`]);
  expect(await queryRun(handle, 'log', 3)).toBe('answer');
  expect(asked).toEqual([
    ['log', 3],
    ['log', 3],
    ['log', 3],
  ]);
});

it('tells of any other failure at once', async () => {
  const { handle, asked } = runThatFails(['Nondeterminism', 'another']);
  await expect(queryRun(handle, 'status')).rejects.toThrow('Nondeterminism');
  expect(asked).toHaveLength(1);
});

it('asks anew after 2 s, after 10 more, and then for as long as it takes', async () => {
  const waits: number[] = [];
  const withDeadline = (end: number): unknown => {
    waits.push(Math.round((end - Date.now()) / 100) / 10);
    return Promise.reject(Object.assign(new Error('lost'), { code: 4, details: '', metadata: {} }));
  };
  const query = (): unknown => Promise.resolve('answer');
  const handle = { query, client: { withDeadline } } as unknown as WorkflowHandle;
  expect(await queryRun(handle, 'status')).toBe('answer');
  expect(waits).toEqual([2, 10]);
});
