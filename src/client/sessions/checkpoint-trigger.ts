import type { JsonObject } from '../../contract/json/json.js';

/** What may make a checkpoint: a tool that changes the plan, by WINK's name, or what `Session.checkpoint(name)` names in Lua. */
export type CheckpointEventType = 'SetupPlan' | 'AddStep' | 'UpdateStep' | (string & {});

/** What happened in a session. */
export interface CheckpointEvent extends JsonObject {
  type: string;
}

const planChanges = ['SetupPlan', 'AddStep', 'UpdateStep'];

/** Says which events make a checkpoint: a step of the plan that is done, unless others are named. */
export class CheckpointTrigger {
  readonly eventTypes: ReadonlySet<string>;

  constructor(eventTypes: Iterable<CheckpointEventType> = ['UpdateStep']) {
    this.eventTypes = new Set(eventTypes);
  }

  /** Tells whether an event makes a checkpoint. A step makes one only when it is done. */
  shouldCheckpoint({ type, ...facts }: CheckpointEvent): boolean {
    if (!this.eventTypes.has(type)) return false;
    return type !== 'UpdateStep' || facts['status'] === 'done';
  }

  /** Gives the same for `checkpoint_on` of a `DurableLoop`, where a change of the plan that is no step done is `plan_changed`. */
  get checkpointOn(): string[] {
    const others = [...this.eventTypes].filter((type) => !planChanges.includes(type));
    if (this.eventTypes.has('SetupPlan') || this.eventTypes.has('AddStep'))
      return ['plan_changed', ...others];
    return [...(this.eventTypes.has('UpdateStep') ? ['plan_step_done'] : []), ...others];
  }
}
