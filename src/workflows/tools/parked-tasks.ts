import type { DropTaskInput } from '../../contract/activities.js';
import { asJson, type JsonValue } from '../../contract/json/json.js';
import type { ToolAnswer, ToolInvocation } from '../../contract/tools/outside-tool.js';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import type { EffectState, RunContext } from '../effects/effect-kind.js';
import { taskDropper } from '../effects/activities.js';
import { queueOfTool } from '../effects/call-queues.js';

/** Tasks of tools that no worker looks at just now: a person is asked what one wants to know. */
export class ParkedTasks implements EffectState {
  /** By the positions of their calls. */
  private readonly tasks: Map<Position, DropTaskInput>;

  constructor(handed: Readonly<Record<Position, DropTaskInput>>) {
    this.tasks = new Map(Object.entries(handed));
  }

  get isEmpty(): boolean {
    return this.tasks.size === 0;
  }

  /** A call has its answer, which may be that it goes on. */
  heard({ call, source, effect, task: before }: ToolInvocation, answer: ToolAnswer): void {
    const asks = answer.kind === 'input_required' ? before : undefined;
    const task = answer.kind === 'task' ? answer.task : asks;
    if (task !== undefined) this.tasks.set(call, { source, effect, task });
  }

  /** A worker looks after it. */
  begun(call: Position): void {
    this.tasks.delete(call);
  }

  /** Takes those whose calls wait here for something. */
  takeOf(position: Position): DropTaskInput[] {
    const taken = [...this.tasks].filter(([call]) => position.startsWith(`${call}.`));
    for (const [call] of taken) this.tasks.delete(call);
    return taken.map(([, task]) => task);
  }

  takeAll(): DropTaskInput[] {
    const all = [...this.tasks.values()];
    this.tasks.clear();
    return all;
  }

  handOver(): JsonValue | null {
    return this.isEmpty ? null : asJson(Object.fromEntries(this.tasks));
  }
}

export function parkedTasks({ kept }: RunContext): ParkedTasks {
  return kept.get('tool') as ParkedTasks;
}

/** Nobody waits any longer for what is asked at a position: neither for the task that asks it. */
export function dropTasksOf(context: RunContext, position: Position): void {
  const { sequence, watches } = context;
  for (const task of parkedTasks(context).takeOf(position)) {
    watches.underWay++;
    const heard = (): void => {
      watches.underWay--;
    };
    sequence.follow(dropped(context, task), heard, heard);
  }
}

/** The run ends: nobody waits for any. */
export async function dropAllTasks(context: RunContext): Promise<void> {
  await Promise.all(
    parkedTasks(context)
      .takeAll()
      .map((task) => dropped(context, task)),
  );
}

/** Whether it is heard makes no difference to the run. */
async function dropped(context: RunContext, task: DropTaskInput): Promise<void> {
  const { dropTask } = taskDropper(queueOfTool(context, task.source));
  await dropTask(task).catch(() => undefined);
}
