import { createHash } from 'node:crypto';
import {
  ThreadedVMWorkflowCreator,
  type ThreadedVMWorkflowCreatorOptions,
} from '@temporalio/worker/lib/workflow/threaded-vm.js';

/** Each holds a context with a bundle. */
const mostIdle = 4;

interface Idle {
  key: string;
  creator: ThreadedVMWorkflowCreator;
  end: () => Promise<void>;
}

/** Threads that no worker has at the moment, those that were left last at the end. */
const idle: Idle[] = [];
let areKept = false;

/**
 * Has the workers of this process take over the threads of those that have ended, where they run the same workflow code: most tests have a worker of
 * their own, and to load that code is half of its work. Two workers never share a thread.
 */
export function keepThreads(): void {
  if (areKept) return;
  areKept = true;
  const begin = ThreadedVMWorkflowCreator.create.bind(ThreadedVMWorkflowCreator);
  ThreadedVMWorkflowCreator.create = async (options) => {
    const key = keyOf(options);
    const at = idle.findLastIndex((each) => each.key === key);
    const [kept] = at < 0 ? [] : idle.splice(at, 1);
    const creator = kept?.creator ?? (await begin(options));
    const end = kept?.end ?? creator.destroy.bind(creator);
    creator.destroy = async () => {
      if (options.patchActivationCallback !== undefined || !isFree(creator)) return end();
      idle.push({ key, creator, end });
      if (idle.length > mostIdle) await idle.shift()?.end();
    };
    return creator;
  };
}

function keyOf({
  workflowBundle,
  registeredActivityNames,
  ...others
}: ThreadedVMWorkflowCreatorOptions): string {
  const { threadPoolSize, isolateExecutionTimeoutMs, reuseV8Context, patchActivationCallback } = others;
  const same = [
    threadPoolSize,
    isolateExecutionTimeoutMs,
    reuseV8Context,
    patchActivationCallback !== undefined,
  ];
  return createHash('sha256')
    .update(JSON.stringify([workflowBundle.filename, ...same, ...registeredActivityNames]))
    .update(workflowBundle.code)
    .digest('hex');
}

/** It runs no workflow any more, and hasn't died. */
function isFree(creator: ThreadedVMWorkflowCreator): boolean {
  const threads = Reflect.get(creator, 'workerThreadClients') as {
    workerExited: boolean;
    getActiveWorkflowCount(): number;
  }[];
  return threads.every((thread) => !thread.workerExited && thread.getActiveWorkflowCount() === 0);
}
