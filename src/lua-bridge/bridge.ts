import type { Limits } from '../contract/limits.js';
import type { JsonValue } from '../contract/json.js';
import type { Observed, ScenarioStep } from '../contract/scenario.js';
import type { Line } from '../contract/printed.js';
import type { ProcedureSource } from '../contract/source.js';
import type { Conversation } from './conversation.js';
import type { Declarations } from './declarations.js';
import type { ExecutionLog } from './execution-log.js';
import type { Mocks } from './mocks.js';
import { toFunction, type Native } from './native.js';
import type { RunMeter } from './meter.js';
import type { Progress } from './progress.js';
import type { Scheduler } from './scheduler.js';
import type { CFunction, LuaState } from './vm/fengari.js';

/** What primitives are given: the state that they open their surface in, and the services of the program around it. */
export interface Bridge {
  readonly L: LuaState;
  readonly scheduler: Scheduler;
  readonly meter: RunMeter;
  readonly log: ExecutionLog;
  readonly limits: Limits;
  readonly runId: string;
  readonly source: ProcedureSource;
  readonly input: JsonValue;
  /** The task that the run was started for; null: what the file runs by itself. */
  readonly task: string | null;
  /** Where `tactus.io` reads and writes; null: where `File` does. */
  readonly folder: string | null;
  readonly declared: Declarations;
  readonly mocks: Mocks;
  /** What the run is to do for a scenario; null: it runs the procedure. */
  readonly scenario: readonly ScenarioStep[] | null;
  /** null where nobody looks: what is noticed takes memory. */
  readonly observed: Observed | null;
  readonly progress: Progress;
  readonly conversation: Conversation;
  /** The run's clock, in ms since 1970: the end of the last checkpoint. */
  readonly now: () => number;
  readonly show: (line: Line) => void;
}

/** Makes a Lua function of a generator primitive. */
export function native(bridge: Bridge, primitive: Native): CFunction {
  return toFunction(bridge.scheduler, primitive);
}
