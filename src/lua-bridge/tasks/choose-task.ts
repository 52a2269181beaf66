import { TactusError } from '../../contract/errors.js';
import type { Bridge } from '../kernel/bridge.js';
import { fullTaskName, knownTasks, type TaskList } from './task-list.js';

/**
 * The task that a run is for: the one that it was started with, else `run`, else none where there is a main procedure,
 * else the only one. Null stands for the main procedure.
 * @throws TactusError no_procedure where there is no such task, or one of several has to be named
 */
export function chooseTask(
  { run: { source, task } }: Bridge,
  tasks: TaskList,
  hasMain: boolean,
): string | null {
  if (task !== null) {
    const name = fullTaskName(task);
    if (tasks.has(name)) return name;
    if (name === 'run' && hasMain) return null;
    throw new TactusError(
      'no_procedure',
      `${source.entry} has no task ${JSON.stringify(task)}; ${knownTasks(tasks)}`,
    );
  }
  if (tasks.has('run')) return 'run';
  const written = [...tasks].filter(([, { isImplied }]) => !isImplied).map(([name]) => name);
  if (hasMain || written.length === 0) return null;
  const [only, ...others] = written.filter((name) => !name.includes(':'));
  if (only !== undefined && others.length === 0) return only;
  throw new TactusError(
    'no_procedure',
    `${source.entry} has several tasks, and no main procedure: say which task to run; ${knownTasks(tasks)}`,
  );
}
