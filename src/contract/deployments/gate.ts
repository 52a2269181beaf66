import { TactusError } from '../errors.js';
import { isObject, type JsonObject, type JsonValue } from '../json/json.js';

/** What the workflow `tactusGate` is started with: `{"runs": 100}`, or nothing. */
export interface GateOrder {
  /** How many runs of the task queue are replayed, of those that are open and of those that ended last. */
  runs: number;
}

export const usualGateRuns = 100;
export const mostGateRuns = 1_000;
/** Problems that are told one by one. */
export const mostGateProblems = 20;

/** An execution that the new build doesn't lead the way that it went. */
export interface GateProblem {
  run: string;
  execution: string;
  message: string;
}

export interface GateReport {
  /** Histories that were replayed, of the server and of archives. */
  replayed: number;
  /** How many of them don't lead the same way. */
  failed: number;
  /** The first of them. */
  problems: GateProblem[];
  /** Runs that don't replay, and didn't go on before either: they are stuck. They refuse no build. */
  stuck_before: string[];
}

/** The activity of a worker that looks at its own build. */
export interface GateActivities {
  replayRuns(input: GateOrder & { taskQueue: string }): Promise<GateReport>;
}

/** @throws TactusError input_invalid */
export function readGateOrder(given: unknown): GateOrder {
  if (given === undefined || given === null) return { runs: usualGateRuns };
  const order: JsonObject = isObject(given as JsonValue) ? (given as JsonObject) : { runs: null };
  const { runs = usualGateRuns, ...others } = order;
  const isCount = typeof runs === 'number' && Number.isInteger(runs) && runs >= 0 && runs <= mostGateRuns;
  if (isCount && Object.keys(others).length === 0) return { runs };
  throw new TactusError(
    'input_invalid',
    `The gate takes {"runs": N}, with N from 0 to ${mostGateRuns}, or nothing`,
  );
}

/** What whoever rolls out is told of a build that was refused. */
export function gateText({ replayed, failed, problems }: GateReport): string {
  const told = problems.map(({ run, execution, message }) => `${run} (${execution}): ${message}`);
  const more = failed > problems.length ? [`and ${failed - problems.length} more`] : [];
  return `${failed} of ${replayed} histories don't replay with this build: ${[...told, ...more].join('; ')}`;
}
