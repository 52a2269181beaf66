import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { MockPlan } from '../../contract/mocks/mock-plan.js';
import type { RunError } from '../../contract/errors.js';
import type { LogEntryView, RunStatus } from '../../contract/runs/run-view.js';
import type { Observed } from '../../contract/specifications/scenario.js';
import type { Usage } from '../../contract/models/model-call.js';

/** What a scenario's first steps prepare. */
export interface Plan {
  input: JsonObject;
  /** Texts of files that are there before the procedure runs, by their paths. */
  files: Record<string, string>;
  mock: MockPlan & { people: NonNullable<MockPlan['people']> };
  /** Null: the main procedure, or the only task. */
  task: string | null;
  /** The message that the following mocks are for; null: they are taken in their order. */
  message: string | null;
}

/** What its last steps look at. */
export interface Facts {
  status: RunStatus;
  input: JsonObject;
  output: JsonValue;
  state: JsonObject;
  error: RunError | null;
  log: readonly LogEntryView[];
  printed: readonly string[];
  usage: Usage;
  observed: Observed;
}

/** A step of Gherkin. Its pattern fits the whole text, whatever the keyword; groups that it captures are handed on. */
export type StepDefinition =
  | {
      kind: 'arrange';
      pattern: RegExp;
      arrange: (plan: Plan, ...captures: string[]) => void;
      /** Said of one that comes after the procedure has run; left out: it has no effect then. */
      tooLate?: string;
    }
  /** What it captures is the task that runs. */
  | { kind: 'run'; pattern: RegExp }
  /** Gives what is wrong, or null. */
  | {
      kind: 'look';
      pattern: RegExp;
      look: (facts: Facts, ...captures: string[]) => string | null;
      expectsFailure?: true;
    }
  /** Asks the judge; gives what is wrong, or null. `unknown`: nobody can tell, and it counts neither way. */
  | {
      kind: 'ask';
      pattern: RegExp;
      ask: (
        facts: Facts,
        judge: Judge,
        ...captures: string[]
      ) => Promise<string | { unknown: string } | null>;
    };

/** Asks a model for its opinion; null where no model may be asked. */
export type Judge = (question: {
  rubric: string;
  text: string;
  model: string | null;
}) => Promise<Opinion | null>;

export interface Opinion {
  ok: boolean;
  reason: string;
}

/** A step's own words make no sense. */
export class StepProblem extends Error {}
