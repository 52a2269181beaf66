import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { defined } from '../../contract/json/json.js';
import type { Pass } from '../../contract/runs/pass.js';
import type { RunView } from '../../contract/runs/run-view.js';
import type { LogStart } from '../../log/compaction.js';

/** The log of a run as this execution has it. */
export interface LogFacts {
  readonly log: readonly Checkpoint[];
  /** How many of them have ended. */
  readonly ended: number;
  /** What it goes on with that began again; left out in the first pass. */
  readonly pass?: Pass | undefined;
  /** Where the log of this pass begins; left out: at its first checkpoint. */
  readonly start?: LogStart;
  /** The execution where what stands before that is read. */
  readonly earlier?: string | undefined;
}

/** How many checkpoints the run has, those of its passes before among them. */
export function endedIn(facts: LogFacts): number {
  return before(facts).checkpoints + endedHere(facts);
}

/** How many checkpoints are read here. */
export function endedHere({ ended, start }: LogFacts): number {
  return Math.max(0, ended - (start?.index ?? 0));
}

/** Ended checkpoints from a number on. */
export function endedFrom(facts: LogFacts, from: number): readonly Checkpoint[] {
  const index = Math.max(0, from - before(facts).checkpoints) + (facts.start?.index ?? 0);
  return facts.log.slice(index, facts.ended);
}

/** How many checkpoints and lines stand before those that are read here. */
export function before({ pass, start }: LogFacts): { checkpoints: number; shown: number } {
  return {
    checkpoints: (pass?.checkpoints ?? 0) + (start?.checkpoints ?? 0),
    shown: (pass?.shown ?? 0) + (start?.shown ?? 0),
  };
}

/** Of a run whose log doesn't begin here: it began again from the top, or a snapshot stands for a part of it. */
export function passView(facts: LogFacts): Pick<RunView, 'pass'> {
  const { pass, start, earlier } = facts;
  if (pass === undefined && (start?.checkpoints ?? 0) === 0) return {};
  const execution = earlier ?? pass?.execution;
  return { pass: { number: pass?.number ?? 0, ...before(facts), ...defined({ execution }) } };
}
