import { jsonAs } from '../../contract/json/json.js';
import type { DropTaskInput } from '../../contract/activities.js';
import type { ToolAnswer, ToolInvocation } from '../../contract/tools/outside-tool.js';
import { idempotencyKey } from '../../contract/effects/idempotency-key.js';
import { holdTerms, performing, type OpenEffect, type RunContext } from '../effects/effect-kind.js';
import { taskFollower, toolActivities } from '../effects/activities.js';
import { toolOutcome } from '../effects/outcomes.js';
import { queueOfTool } from '../effects/call-queues.js';
import { dropTasksOf, ParkedTasks, parkedTasks } from './parked-tasks.js';

/**
 * One attempt at a call of a tool outside of the run, or at hearing what becomes of one. What may be done once alone is
 * given to one worker, once: where that one says nothing more, nobody knows.
 */
export const tool = performing('tool', {
  perform(context, opened, { invocation }) {
    const { operation, effect, call } = invocation;
    const isOnce = operation !== 'verify' && effect === 'once';
    const begin =
      operation === 'follow' ? follower(context, opened, invocation) : caller(context, opened, invocation);
    const tasks = parkedTasks(context);
    tasks.begun(call);
    opened.follow(
      begin,
      (answer) => {
        tasks.heard(invocation, answer);
        opened.answer(answer);
      },
      (error) => opened.end(toolOutcome(error, isOnce)),
    );
  },
  givenUp: dropTasksOf,
  openState: (_, handed) => new ParkedTasks(jsonAs<Record<string, DropTaskInput>>(handed ?? {})),
});

function caller(
  context: RunContext,
  opened: OpenEffect,
  invocation: ToolInvocation,
): () => Promise<ToolAnswer> {
  const { operation, effect, call } = invocation;
  const { callTool, tries } = toolActivities(opened.calls, {
    policy: invocation.retry,
    timeoutMs: invocation.timeoutMs,
    summary: opened.request.title,
    isOnce: operation === 'call' && effect === 'once',
    taskQueue: queueOfTool(context, invocation.source),
  });
  const input = { invocation, idempotencyKey: idempotencyKey(context, call), tries };
  return () => callTool({ ...input, tasks: true, ...holdTerms(context, opened.position) });
}

function follower(
  context: RunContext,
  { calls, request }: OpenEffect,
  invocation: ToolInvocation,
): () => Promise<ToolAnswer> {
  const taskQueue = queueOfTool(context, invocation.source);
  const { followTask, tries, lookMs } = taskFollower(calls, request.title, taskQueue);
  return () => followTask({ invocation, tries, lookMs });
}
