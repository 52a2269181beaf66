import type { SteeringTaken } from '../../contract/agents/steer-effect.js';
import type { Holds } from '../../contract/engine.js';
import type { Limits } from '../../contract/runs/limits.js';
import type { Line } from '../../contract/runs/run-view.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import type { ExecutionLog } from '../../log/execution-log.js';
import { toFunction, type Native } from '../scheduler/native.js';
import type { Scheduler } from '../scheduler/scheduler.js';
import type { CFunction, LuaState } from '../vm/fengari.js';
import type { RunMeter } from '../vm/meter.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { MockPlan } from '../../contract/mocks/mock-plan.js';
import type { ScenarioStep } from '../../contract/specifications/scenario.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';

/** The state that primitives open their surface in, and what the program around it does for all rooms. */
export interface Bridge {
  readonly L: LuaState;
  readonly scheduler: Scheduler;
  readonly meter: RunMeter;
  readonly log: ExecutionLog;
  readonly limits: Limits;
  /** Whether a change of behaviour holds for the run. */
  readonly holds: Holds;
  readonly run: RunSpec;
  /** The run's clock, in ms since 1970: the end of the last checkpoint. */
  readonly now: () => number;
  /** What has ended at that time, in ms since 1970, is recorded: the clock goes there, never back. */
  readonly passTo: (at: number) => void;
  readonly show: (line: Line) => void;
  /** Whether somebody has said something to the agent of this name that it hasn't taken. */
  readonly isSteered: (agent: string) => boolean;
  /** Gives an agent what people have said to it, once. */
  readonly takeSteering: (agent: string) => SteeringTaken;
  /** What rooms keep for the run; read through `PerRun` alone. */
  readonly kept: Map<object, unknown>;
}

/** Makes a Lua function of a generator primitive. */
export function native(bridge: Bridge, primitive: Native): CFunction {
  return toFunction(bridge.scheduler, primitive);
}

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
