import { condition } from '@temporalio/workflow';

/**
 * Closed while the worker is at a local activity of the run, and for the pause that follows a long one. What arrives
 * then (a workflow task may be extended meanwhile) a replay may see after the activity's end, so no command may follow
 * from it before the gate is open again: by then both have seen the same.
 */
export class Gate {
  private closed = false;

  get isOpen(): boolean {
    return !this.closed;
  }

  close(): void {
    this.closed = true;
  }

  open(): void {
    this.closed = false;
  }

  /** To be awaited only where the gate is closed: a wait for nothing would change the order of commands, too. */
  opened(): Promise<void> {
    return condition(() => this.isOpen);
  }
}
