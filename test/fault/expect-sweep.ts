import { expect } from 'vitest';
import { failedTasks } from '../support/histories.js';
import { replayHistories } from '../support/replay-histories.js';
import { eachOf } from './each-of.js';
import type { SweepOutcome } from './sweep-run.js';

export interface Sweep<O extends SweepOutcome> {
  /** Begins the ids of its runs: `<name>_undisturbed`, or with where it is killed. */
  name: string;
  /** At each so many-th boundary a worker dies, and so many runs are at it at once. */
  every: number;
  atOnce: number;
  run: (killAt: number | undefined, runId: string) => Promise<O>;
  /** What each entry of the log is called, where that has the id of the run in it. */
  nameOf?: (name: string) => string;
  /** Looks at the run that nobody disturbs. */
  expectUndisturbed: (outcome: O, runId: string) => void;
  /** Looks at one whose worker died, beside what all have in common. */
  expectRight: (outcome: O, runId: string, undisturbed: O) => void;
}

/**
 * Lives a run once undisturbed, and then with a worker that dies at boundaries: the log is the same, no task fails, and all histories
 * replay. `KILL_EVERY=1` is at all boundaries; each commit has others, of which `KILL_FROM` is the first.
 */
export async function expectSweep<O extends SweepOutcome>(sweep: Sweep<O>): Promise<void> {
  const { name, atOnce, run, nameOf = (each) => each } = sweep;
  const every = Number(process.env['KILL_EVERY'] ?? sweep.every);
  const from = Number(process.env['KILL_FROM'] ?? 1 + (Number(process.env['SAMPLE_SEED'] ?? 0) % every));
  /** Without what was used: of a call whose worker dies when the model has answered, both answers were paid for. */
  const logOf = ({ log }: O): unknown =>
    log.map(({ position, type, name: called, status }) => ({
      ...{ position, type, status },
      name: called === null ? null : nameOf(called),
    }));
  const undisturbed = await run(undefined, `${name}_undisturbed`);
  sweep.expectUndisturbed(undisturbed, `${name}_undisturbed`);
  const histories: Parameters<typeof replayHistories>[0] = [];
  let killed = 0;
  const kills = Array.from({ length: undisturbed.boundaries ?? 0 }, (_, i) => i * every + from);
  await eachOf(kills, atOnce, async (killAt) => {
    const runId = `${name}_${killAt}`;
    const outcome = await run(killAt, runId);
    if (outcome.boundaries === null) killed++;
    expect(logOf(outcome), runId).toEqual(logOf(undisturbed));
    expect(failedTasks(outcome.histories), runId).toEqual([]);
    sweep.expectRight(outcome, runId, undisturbed);
    histories.push(...outcome.histories.map((history) => ({ workflowId: runId, history })));
    return outcome.boundaries === null;
  });
  expect(await replayHistories(histories)).toEqual([]);
  console.log(`${name} again and again: killed at ${killed} boundaries`);
  expect(from - 1 + killed * every).toBeGreaterThanOrEqual(14);
}
