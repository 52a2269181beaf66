import { expect, it } from 'vitest';
import type { DropTaskInput } from '../../../../src/contract/activities.js';
import type { ToolInvocation } from '../../../../src/contract/tools/outside-tool.js';
import { ParkedTasks } from '../../../../src/workflows/tools/parked-tasks.js';

const invocationOf = (call: string, task?: string): ToolInvocation => ({
  ...{ operation: 'call', source: 'mcp.mine.dig', args: {}, effect: 'once', call },
  ...{ procedure: 'main', timeoutMs: 1 },
  ...(task === undefined ? {} : { operation: 'follow', task }),
});
const resting = (task: string): DropTaskInput => ({ source: 'mcp.mine.dig', effect: 'once', task });

it('a task rests from its answer until a worker looks after it', () => {
  const tasks = new ParkedTasks({});
  tasks.heard(invocationOf('1'), { kind: 'task', task: 'a' });
  tasks.heard(invocationOf('2', 'b'), { kind: 'input_required', requests: {}, state: null });
  // A tool that asks before it begins has no task, and one that is done has none left.
  tasks.heard(invocationOf('3'), { kind: 'input_required', requests: {}, state: null });
  tasks.heard(invocationOf('4', 'd'), { kind: 'done', value: null });
  tasks.begun('1');
  expect(tasks.takeAll()).toEqual([resting('b')]);
  expect(tasks.isEmpty).toBe(true);
});

it('is dropped with what waits at its call, and at no other', () => {
  const tasks = new ParkedTasks({});
  for (const call of ['1', '10', '1.2'])
    tasks.heard(invocationOf(call, call), { kind: 'task', task: `of ${call}` });
  expect(tasks.takeOf('10.1')).toEqual([resting('of 10')]);
  expect(tasks.takeOf('1.20')).toEqual([resting('of 1')]);
  expect(tasks.takeOf('3.0')).toEqual([]);
  expect(tasks.takeAll()).toEqual([resting('of 1.2')]);
});

it('is known to the next execution', () => {
  const tasks = new ParkedTasks({});
  expect(tasks.handOver()).toBeNull();
  tasks.heard(invocationOf('1'), { kind: 'task', task: 'a' });
  const handed = tasks.handOver() as unknown as Record<string, DropTaskInput>;
  expect(new ParkedTasks(handed).takeAll()).toEqual([resting('a')]);
});
