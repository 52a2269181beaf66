import type { SteeringTaken } from '../../contract/agents/steer-effect.js';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import type { Snapshot } from '../../contract/checkpoints/snapshot.js';
import type { Holds } from '../../contract/engine.js';
import { TactusError } from '../../contract/errors.js';
import type { Labels } from '../../contract/runs/labels.js';
import type { Limits } from '../../contract/runs/limits.js';
import type { Line } from '../../contract/runs/run-view.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import type { ParentRun } from '../../contract/runs/start-input.js';
import type { Pass } from '../../contract/runs/pass.js';
import type { ExecutionLog } from '../../log/execution-log.js';
import type { EffectAsk } from '../scheduler/effect-ask.js';
import type { Scheduler } from '../scheduler/scheduler.js';
import { noteLuaCall, type Branch, type Fork, type Frame } from '../scheduler/task.js';
import { LuaRaised } from '../scheduler/lua-error.js';
import { isSuspendable, lua, type CFunction, type LuaState } from '../vm/fengari.js';
import type { RunMeter } from '../vm/meter.js';
import { callingLine } from '../vm/traceback.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { MockPlan } from '../../contract/mocks/mock-plan.js';
import type { ScenarioStep } from '../../contract/specifications/scenario.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { HumanAnswer, HumanAsk } from '../../contract/people/human-request.js';

/**
 * A primitive is a generator: straight-line code that yields what it needs, made into a Lua function. Whatever it
 * yields is performed with the Lua thread suspended in the way that fits, through pcalls, metamethods and the
 * author's coroutines, and the generator goes on with the result.
 *
 * It gives the number of values that it leaves on top of the stack as results.
 */
export type Native = (L: LuaState) => Generator<Step, number, unknown>;

export type Step =
  /** Ask the host; answers with the recorded JSON value, or throws its TactusError. */
  | { effect: EffectAsk }
  /** Call the function that lies below `call` arguments; leaves `results` results (-1: all), or throws LuaRaised. */
  | { call: number; results: number }
  /** Run branches side by side; leaves a table of their first results, or throws LuaRaised. */
  | Fork
  /** Wait until something has changed in the run, and look again. */
  | { park: true };

type Input = { value: unknown } | { error: unknown };

const notSuspendable =
  "can't wait here: table.sort comparators, string.gsub callbacks and __tostring can't be suspended; do it before, and use the result here";

/** Makes a Lua function of a generator. */
export function toFunction(scheduler: Scheduler, native: Native): CFunction {
  return (L) => advance(scheduler, L, native(L), { value: undefined });
}

function advance(scheduler: Scheduler, L: LuaState, generator: ReturnType<Native>, first: Input): number {
  for (let input = first; ;) {
    const step = resume(scheduler, L, generator, input);
    if (step.done === true) return step.value;
    if ('call' in step.value) {
      const { call, results } = step.value;
      noteLuaCall(L);
      const handler = lua.lua_gettop(L) - call;
      lua.lua_pushcfunction(L, (thread) => {
        scheduler.notes.note(thread);
        return 1;
      });
      lua.lua_insert(L, handler);
      const status = lua.lua_pcallk(L, call, results, handler, handler, (thread, ended) =>
        advance(scheduler, thread, generator, called(scheduler, thread, ended, handler)),
      );
      input = called(scheduler, L, status, handler);
      continue;
    }
    if (!isSuspendable(L)) {
      const at = callingLine(L);
      input = {
        error: new TactusError(
          'not_yieldable',
          `${at === null ? '' : `${at.file}:${at.line}: `}${notSuspendable}`,
        ),
      };
      continue;
    }
    if ('effect' in step.value) {
      const refused = attempt(scheduler, L, step.value.effect);
      if (refused !== null) {
        input = { error: refused };
        continue;
      }
    } else if ('park' in step.value) scheduler.park();
    else scheduler.fork(L, step.value);
    return lua.lua_yieldk(L, 0, null, (thread) =>
      advance(scheduler, thread, generator, scheduler.takeAnswer(thread)),
    );
  }
}

/** Asks for an effect; gives the error where it is refused. */
function attempt(scheduler: Scheduler, L: LuaState, effect: EffectAsk): TactusError | null {
  try {
    scheduler.ask(L, effect);
    return null;
  } catch (error) {
    if (error instanceof TactusError) return error;
    throw error;
  }
}

/** A protected call has ended: takes the error handler away from below its results. */
function called(scheduler: Scheduler, L: LuaState, status: number, handler: number): Input {
  lua.lua_remove(L, handler);
  return status === lua.LUA_OK || status === lua.LUA_YIELD
    ? { value: undefined }
    : { error: scheduler.notes.raised };
}

function resume(
  scheduler: Scheduler,
  L: LuaState,
  generator: ReturnType<Native>,
  input: Input,
): IteratorResult<Step, number> {
  try {
    return 'error' in input ? generator.throw(input.error) : generator.next(input.value);
  } catch (error) {
    if (error instanceof LuaRaised) return lua.lua_error(L);
    return scheduler.notes.rethrow(L, error);
  }
}

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
  /**
   * What the procedure has come to in a frame, for a log that begins here; null where that can't be kept, or something else
   * runs.
   */
  readonly takeSnapshot: (L: LuaState, frame: SnapshotFrame, begun?: SnapshotBase) => Snapshot | null;
  /** What a frame begins with, for a snapshot at its end that has what is other than this alone; null: there will be none. */
  readonly lookAtStart: (L: LuaState, frame: SnapshotFrame) => SnapshotBase | null;
  /** Goes on from there. */
  readonly putSnapshot: (L: LuaState, frame: SnapshotFrame, snapshot: Snapshot) => void;
  /** Told of each snapshot that is taken, with the position of its frame; null: nobody is, and few are taken. */
  readonly onCompacted: ((frame: Position) => void) | null;
  /** What rooms keep for the run; read through `PerRun` alone. */
  readonly kept: Map<object, unknown>;
}

/** What a snapshot would have had where its frame began. */
export interface SnapshotBase {
  /** Each part as a text, by its name. */
  texts: ReadonlyMap<string, string>;
  /** Of what rooms keep and that is too large for that. */
  stamps: ReadonlyMap<string, number>;
}

/** Makes a Lua function of a generator primitive. */
export function native(bridge: Bridge, primitive: Native): CFunction {
  return toFunction(bridge.scheduler, primitive);
}

/** A branch that runs a primitive without arguments. */
export function branchOf(bridge: Bridge, primitive: Native): Branch {
  const run = native(bridge, primitive);
  return (thread) => {
    lua.lua_pushcfunction(thread, run);
    return 0;
  };
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
  /** What it was started with. */
  readonly labels: Labels;
  /** What the runs above have of calls of models; null: there are none above, or they tell nothing of it. */
  readonly callsBefore: NonNullable<ParentRun['calls']> | null;
  /** When the run that has started this one gives it up, in ms since 1970; null: it doesn't. */
  readonly deadline: number | null;
  /** Id of the message that begins this turn of a thread; null: it has none. */
  readonly messageId: string | null;
  /** Answers that the run gives itself; null: none. */
  readonly mock: MockPlan | null;
  /** What it goes on with in this pass; null: it is in its first. */
  readonly pass: Pass | null;
  /** What the run is to do for a scenario; null: it runs the procedure. */
  readonly scenario: readonly ScenarioStep[] | null;
}

/** Where a snapshot is taken: what it stands for is at this position, and what it has is that of the scope. */
export type SnapshotFrame = Pick<Frame, 'position' | 'scope'>;

/** How a question of the host ended. A question that nobody answered is no answer: whoever asks says what follows from that. */
export type HostAnswer =
  | { how: 'decided'; value: JsonValue; by: string | null; comment: string | null }
  | { how: 'withdrawn'; by: string | null; comment: string | null }
  /** Nobody decided in time; `value` is the default of the request. */
  | { how: 'timed_out'; value: JsonValue };

/** Asks people what the host itself, or a tool outside of the run, has to know. */
export function* askForHost(
  { holds }: Bridge,
  type: 'hitl_approval' | 'hitl_input' | 'hitl_select',
  ask: HumanAsk,
): Generator<Step, HostAnswer, unknown> {
  const answer = (yield {
    effect: { type, name: ask.message, effect: { kind: 'human', ask } },
  }) as HumanAnswer;
  const { value, by, comment, timed_out: isLate, withdrawn } = answer;
  // Agents outside were always told. For all others, runs of an older engine took null for the answer.
  const isKnown = holds('withdrawn-questions') || ask.origin !== undefined;
  if (withdrawn === true && isKnown) return { how: 'withdrawn', by, comment };
  return isLate ? { how: 'timed_out', value } : { how: 'decided', value, by, comment };
}

/** `zoe took the question back: never mind`. */
export function withdrawnText({ by, comment }: Extract<HostAnswer, { how: 'withdrawn' }>): string {
  return `${by ?? 'somebody'} took the question back${comment === null || comment === '' ? '' : `: ${comment}`}`;
}

/** Marks what the host itself asks of people: see `HumanRequest.by_host`. */
export function byHost({ holds }: Bridge): Pick<HumanAsk, 'byHost'> {
  return holds('request-fields') ? { byHost: true } : {};
}
