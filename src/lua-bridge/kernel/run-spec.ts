import type { JsonValue } from '../../contract/json/json.js';
import type { MockPlan } from '../../contract/mocks/mock-plan.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import type { ScenarioStep } from '../../contract/specifications/scenario.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';

/** What a run is started with, and keeps as it is. */
export interface RunSpec {
  readonly id: string;
  /** In ms since 1970. */
  readonly startedAt: number;
  readonly source: ProcedureSource;
  readonly input: JsonValue;
  /** The task that the run was started for; null: what the file runs by itself. */
  readonly task: string | null;
  /** What a model has written that is run in place of the procedure; null: nothing. */
  readonly code: { agent: string; file: string } | null;
  /** Where `tactus.io` reads and writes; null: where `File` does. */
  readonly folder: string | null;
  /** What configuration says. */
  readonly settings: RunSettings;
  /** Answers that the run gives itself; null: none. */
  readonly mock: MockPlan | null;
  /** What the run is to do for a scenario; null: it runs the procedure. */
  readonly scenario: readonly ScenarioStep[] | null;
}
