import { beforeEach, describe, expect, it } from 'vitest';
import type { FollowTaskInput } from '../../../../src/contract/activities.js';
import type { ToolAnswer, ToolInvocation } from '../../../../src/contract/tools/outside-tool.js';
import { Mine } from '../../../support/mine.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { failureOf, runActivity, type RunOptions } from '../run-activity.js';

const tries = { attempts: 2, answers: 2, patienceMs: 0, isSaid: true };

let mine: Mine;
let options: RunOptions;

beforeEach(() => {
  mine = new Mine(temporaryFolder('mcp-tasks'));
  options = { deps: { mcpServers: { mine: mine.overStdio } } };
});

const invocationOf = (change: Partial<ToolInvocation> = {}): ToolInvocation => ({
  ...{ operation: 'call', source: 'mcp.mine.dig', args: { deep: 1 }, effect: 'once', call: '3' },
  ...{ procedure: 'main', timeoutMs: 10_000 },
  ...change,
});

function call(deep: number, more: { tasks?: true } = { tasks: true }): Promise<ToolAnswer> {
  const invocation = invocationOf({ args: { deep } });
  return runActivity('callTool', { invocation, idempotencyKey: 'key', tries, ...more }, options);
}

async function begun(deep: number): Promise<string> {
  const answer = await call(deep);
  return answer.kind === 'task' ? answer.task : expect.unreachable(answer.kind);
}

function follow(
  task: string,
  change: Partial<ToolInvocation> = {},
  more: Partial<FollowTaskInput> & Pick<RunOptions, 'info'> = {},
): Promise<ToolAnswer> {
  const { info = {}, ...rest } = more;
  const invocation = invocationOf({ operation: 'follow', task, ...change });
  return runActivity('followTask', { invocation, tries, lookMs: 5_000, ...rest }, { ...options, info });
}

describe('a call', () => {
  it('becomes no task where the run would not know what to do with one', async () => {
    expect(await call(1, {})).toEqual({ kind: 'done', value: 'dug 1 at once' });
    expect(mine.asked('tools/call')).toMatchObject([{ isTask: false }]);
  });

  it('that is answered with a task unasked is no call that has failed', async () => {
    const failure = await failureOf(call(3, {}));
    expect(failure).toMatchObject({ type: 'outcome_unknown', nonRetryable: true });
    expect(failure.message).toContain('answered with a task');
  });
});

describe('a task', () => {
  it('is followed by another worker where one lacks its tool', async () => {
    const source = 'mcp.other.dig';
    const info = { scheduledTimestampMs: 1_000, currentAttemptScheduledTimestampMs: 1_000 };
    const patient = { tries: { ...tries, patienceMs: 3_600_000 }, info };
    const failure = await failureOf(follow('1', { source }, patient));
    expect(failure).toMatchObject({ type: 'outcome_unknown', nonRetryable: false });
    expect(failure.message).toContain('Any worker of the task queue may take the call');
  });

  it('that goes on is told of when the time is up', async () => {
    const task = await begun(1);
    expect(await follow(task, {}, { lookMs: 500 })).toEqual({ kind: 'task', task });
    expect(mine.asked('tasks/get').length).toBeGreaterThan(0);
  });

  it('is told what the run knows, and that once, and asks the rest', async () => {
    const task = await begun(2);
    const where = { action: 'accept', content: { place: 'there' } };
    const asked = await follow(task);
    expect(asked).toMatchObject({ kind: 'input_required', requests: { where: {} } });
    const inputs = { responses: { where }, state: null };
    const next = await follow(task, { inputs });
    expect(next.kind === 'input_required' && Object.keys(next.requests)).toEqual(['sure']);
    expect(mine.asked('tasks/update').map(({ inputResponses }) => inputResponses)).toEqual([{ where }]);
  });

  it('of which nothing can be heard is asked for again, and in the end unknown where it is done once alone', async () => {
    const task = await begun(1);
    mine.become({ status: 'what' });
    const first = await failureOf(follow(task));
    expect(first).toMatchObject({ nonRetryable: false });
    const last = await failureOf(follow(task, {}, { info: { attempt: 2 } }));
    expect(last).toMatchObject({ type: 'outcome_unknown', nonRetryable: true });
    const reading = await failureOf(follow(task, { effect: 'pure' }, { info: { attempt: 2 } }));
    expect(reading).toMatchObject({ type: 'tool_failed', nonRetryable: true });
  });

  it('that is gone is unknown at once', async () => {
    expect(await failureOf(follow('another'))).toMatchObject({ type: 'outcome_unknown', nonRetryable: true });
  });

  it('of a server that the worker has no more is unknown, too', async () => {
    options = {};
    expect(await failureOf(follow('any'))).toMatchObject({ type: 'outcome_unknown' });
  });

  it('with a result that is none is unknown', async () => {
    const task = await begun(1);
    mine.become({ status: 'completed', result: { said: 'nothing' } });
    expect((await failureOf(follow(task))).message).toContain('is no result of a tool');
  });

  it('is dropped without a word where the server is gone', async () => {
    const task = { source: 'mcp.mine.dig', effect: 'once', task: 'any' } as const;
    await runActivity('dropTask', task, options);
    await runActivity('dropTask', task, {});
  });
});
