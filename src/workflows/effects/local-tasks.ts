import type { FileInput, LocalAnswer } from '../../contract/activities.js';
import type { Outcome } from '../../contract/checkpoints/checkpoint.js';
import { localHelpers } from './activities.js';
import { inGroup, type OpenEffect } from './effect-kind.js';
import { failedOutcome } from './outcomes.js';

/** What the worker is to do at once. */
export interface LocalTask {
  opened: OpenEffect;
  begin: () => Promise<LocalAnswer<Outcome>>;
  /** A look at a file, which may be taken together with others that wait; null: it is done alone. */
  look: FileInput | null;
  /** What came of it, where it was done together with one before it. */
  done: LocalAnswer<Outcome> | null;
}

/** So many looks are one local activity at most. */
const mostLooks = 50;

/**
 * What the worker is to do at once, one after the other. Looks at files that stand side by side in the row are one local activity: that
 * costs a run, and its replay, about as much as one look.
 *
 * Owns: the row.
 * Invariant: what is done, and not answered yet, stands before all else. So nothing that changes a file is done before answers that are
 * older than it.
 */
export class LocalTasks {
  private readonly tasks: LocalTask[] = [];

  /** @param takesTogether before engine 10, each look was a local activity of its own */
  constructor(private readonly takesTogether: boolean) {}

  get length(): number {
    return this.tasks.length;
  }

  get first(): LocalTask | undefined {
    return this.tasks[0];
  }

  add(task: Omit<LocalTask, 'done'>): void {
    this.tasks.push({ ...task, done: null });
  }

  take(): LocalTask | undefined {
    return this.tasks.shift();
  }

  takeAll(): LocalTask[] {
    return this.tasks.splice(0);
  }

  /** All that hasn't been done together with one before it. */
  takeUndone(): LocalTask[] {
    const undone = this.tasks.filter(({ done }) => done === null);
    for (const task of undone) this.tasks.splice(this.tasks.indexOf(task), 1);
    return undone;
  }

  /** Nobody waits for it any more. */
  remove(opened: OpenEffect): void {
    const at = this.tasks.findIndex((task) => task.opened === opened);
    if (at >= 0) this.tasks.splice(at, 1);
  }

  /** Begins what was taken, with the looks that stand behind it. */
  begin(task: LocalTask): Promise<LocalAnswer<Outcome>> {
    const looks = this.takesTogether && task.look !== null ? [task, ...this.nextLooks()] : [task];
    return looks.length === 1 ? inGroup(task.opened.request, task.begin) : takeLooks(task, looks);
  }

  private nextLooks(): LocalTask[] {
    const end = this.tasks.findIndex(({ look }) => look === null);
    return this.tasks.slice(0, Math.min(end < 0 ? Infinity : end, mostLooks - 1));
  }
}

/** What it comes to where the worker couldn't do it; nobody knows how long it took. */
export function failedTask({ opened }: LocalTask, error: unknown, at: number): LocalAnswer<Outcome> {
  return { value: failedOutcome(error, opened.definition.failure), at, since: null };
}

/** Takes looks together. Those that there was no time or room for stay to be taken. */
async function takeLooks(first: LocalTask, looks: readonly LocalTask[]): Promise<LocalAnswer<Outcome>> {
  const { request } = first.opened;
  const { fileOutcomes } = localHelpers(`${request.title} and ${looks.length - 1} more`);
  const inputs = looks.flatMap(({ look }) => (look === null ? [] : [look]));
  const isOneGroup = looks.every(({ opened }) => opened.request.group?.position === request.group?.position);
  const begin = (): ReturnType<typeof fileOutcomes> => fileOutcomes(inputs);
  const { value, ...times } = await (isOneGroup ? inGroup(request, begin) : begin());
  for (const [i, outcome] of value.entries()) {
    const task = looks[i];
    if (task !== undefined) task.done = { value: outcome, ...times };
  }
  if (first.done === null) throw new Error('looks were taken, and not the first');
  return first.done;
}
