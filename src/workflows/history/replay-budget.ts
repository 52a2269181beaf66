/** So many instructions are replayed in a second on a machine that does a fifth of what most do. */
const instructionsOfSecond = 5_000_000;
/** What the server allows. */
const longestTaskMs = 120_000;
/** What is done beyond the budget before nothing is begun any more that would keep another execution from taking over. */
const pressingFactor = 2;

/**
 * How much Lua an execution may run. A worker that takes a run over, after a crash, a deploy or because its cache was full,
 * replays the execution inside of one workflow task. Where that takes longer than the task may, the server gives the task up,
 * and the next worker begins anew: the run would be stuck for ever. So the run continues as new in time, with more time for each task.
 *
 * The next execution replays the log, which is as much Lua again: more time is all that helps.
 */
export class ReplayBudget {
  private extensions = 1;

  /** @param taskMs time for a workflow task of this execution */
  constructor(private readonly taskMs: number) {}

  /** Where each task has all the time that there is, nothing is won by another execution. */
  isUsedUp(instructions: number): boolean {
    return this.taskMs < longestTaskMs && instructions > this.most;
  }

  /** Whoever waited for a good moment to continue as new must wait no longer. */
  isPressing(instructions: number): boolean {
    return this.isUsedUp(instructions / pressingFactor);
  }

  /** The run can't continue as new for now, and looks again when it has done as much once more. */
  extend(): void {
    this.extensions++;
  }

  /** Time for a workflow task of the next execution, which replays so much: twice of what that takes. null: as it is. */
  nextTaskMs(instructions: number): number | null {
    const wanted = Math.ceil((2 * instructions) / instructionsOfSecond) * 1_000;
    const next = Math.min(longestTaskMs, wanted);
    return next > this.taskMs ? next : null;
  }

  private get most(): number {
    return ((this.taskMs * instructionsOfSecond) / 1_000) * this.extensions;
  }
}
