import type { Checkpoint, Outcome } from '../contract/checkpoint.js';
import type { Drift } from '../contract/drift.js';
import type { EffectRequest } from '../contract/effects.js';
import { TactusError } from '../contract/errors.js';
import { isObject, jsonSize, type JsonObject, type JsonValue } from '../contract/json.js';
import { maxInlineBytes, type Limits } from '../contract/limits.js';
import type { MockPlan } from '../contract/mock-plan.js';
import type { Position } from '../contract/position.js';
import type { RunSettings } from '../contract/run-settings.js';
import type { Line, Shown } from '../contract/printed.js';
import { nothingObserved, type Observed, type ScenarioStep } from '../contract/scenario.js';
import type { ProcedureSource } from '../contract/source.js';
import type { Bridge } from './bridge.js';
import { Chance } from './chance.js';
import { Conversation } from './conversation.js';
import { Declarations } from './declarations.js';
import { describe, describeTests, mainOf, type DeclaredTests, type Description } from './describe.js';
import { Determinism, isRecorded } from './determinism.js';
import { ExecutionLog, neverReached } from './execution-log.js';
import { newFrame, type Frame } from './frame.js';
import { runMain } from './main-task.js';
import { lookAt } from './marshal.js';
import { RunMeter } from './meter.js';
import { Mocks } from './mocks.js';
import { toFunction } from './native.js';
import { openPrimitives } from './open-primitives.js';
import { keepInput } from './procedure-call.js';
import { newStateStore } from './primitives/state.js';
import { Progress } from './progress.js';
import { Scheduler } from './scheduler.js';
import { lineCost, openBase } from './stdlib/base.js';
import { openCoroutine } from './stdlib/coroutine.js';
import { openDebug } from './stdlib/debug.js';
import { openJoin } from './stdlib/join.js';
import { openMath } from './stdlib/math.js';
import { openOs } from './stdlib/os.js';
import { openSplit } from './stdlib/split.js';
import { openString } from './stdlib/string.js';
import { summarize, type ProcedureSummary } from './summary.js';
import { openUtf8Clean } from './stdlib/utf8-clean.js';
import { lauxlib, lua, referredTo, type LuaState } from './vm/fengari.js';

export interface ProgramOptions {
  source: ProcedureSource;
  input: JsonValue;
  /** The task of the file to run; left out: what it runs by itself. */
  task?: string | undefined;
  runId: string;
  /** Start of the run, in ms since 1970: the procedure's clock until its first checkpoint ends. */
  startedAt: number;
  /** Seed of the procedure's random numbers. */
  seed: string;
  limits: Limits;
  /** Checkpoints recorded before this start, in the order in which they ended. */
  carried: readonly Checkpoint[];
  /** What configuration says; left out: nothing. */
  settings?: RunSettings | undefined;
  /** Where `tactus.io` reads and writes; left out: where `File` does. */
  folder?: string | undefined;
  /** Answers that the run gives itself; left out: none. */
  mock?: MockPlan | undefined;
  /** What to do for a scenario; left out: run the procedure. */
  scenario?: readonly ScenarioStep[] | undefined;
  /** How instructions are counted; left out: as the newest engine does. */
  engine?: number | undefined;
  /** Left out: chance and time are the run's own everywhere. */
  drift?: Drift | undefined;
}

interface Settled {
  position: Position;
  outcome: Outcome;
  at: number;
}

/** What a program did until it could not go on by itself. */
export type Turn =
  /** It waits: `asked` are the effects that are new, `cancelled` those that nobody waits for any longer. */
  | { kind: 'blocked'; asked: EffectRequest[]; cancelled: Position[] }
  /** It has used up its slice of instructions; call `turn` again when others have had theirs. */
  | { kind: 'slice' }
  | { kind: 'completed'; output: JsonValue }
  | { kind: 'failed'; error: TactusError };

/**
 * A procedure in a Lua state of its own. It asks for effects and is told how they ended; what performs them, in
 * Temporal or in a test, is not its business. The same answers in the same order make it do the same.
 */
export class Program {
  readonly log: ExecutionLog;
  readonly shown: Shown[] = [];
  /** What tests look at; null where the run is none. */
  readonly observed: Observed | null;
  private readonly scheduler: Scheduler;
  private readonly declared: Declarations;
  private readonly meter: RunMeter;
  private readonly root: Frame;
  private readonly L: LuaState;
  private readonly source: ProcedureSource;
  /** Effects that the host has yet to be asked for, and those that it performs. */
  private readonly asked: EffectRequest[] = [];
  private readonly open = new Set<Position>();
  private readonly askedAt = new Map<Position, number>();
  private readonly settled: Settled[] = [];
  private readonly openEffects: number;
  private ended: Turn | null = null;
  private output: JsonValue = null;
  private clock: number;

  constructor(options: ProgramOptions) {
    const { source, input, runId, startedAt, seed, limits, carried } = options;
    const { mock = null, scenario = null, settings = {}, folder = '', task = null, drift = null } = options;
    this.clock = startedAt;
    this.openEffects = limits.openEffects;
    this.source = source;
    this.L = lauxlib.luaL_newstate();
    this.meter = new RunMeter(this.L, limits, options.engine);
    this.scheduler = new Scheduler(this.L, this.meter, limits, (request) => this.onAsk(request));
    this.log = new ExecutionLog(
      carried,
      (position) => this.scheduler.isAwaited(position),
      (checkpoint) => this.meter.holdCheckpoint(checkpoint),
    );
    this.declared = new Declarations(this.meter, settings);
    this.observed = scenario === null ? null : nothingObserved();
    const bridge: Bridge = {
      L: this.L,
      scheduler: this.scheduler,
      meter: this.meter,
      log: this.log,
      limits,
      runId,
      source,
      input,
      task,
      folder: folder === '' ? null : folder,
      declared: this.declared,
      mocks: new Mocks(mock, this.declared),
      scenario,
      observed: this.observed,
      progress: new Progress(),
      conversation: new Conversation(),
      now: () => this.clock,
      show: (line) => this.show(line),
    };
    openBase(this.L, bridge.show);
    openString(this.L);
    openUtf8Clean(this.L);
    openSplit(this.L);
    openJoin(this.L);
    openDebug(this.L);
    const { check } = new Determinism(
      source,
      this.scheduler.notes,
      () => settings.strictDeterminism ?? mainOf(this.declared)?.strict ?? this.declared.strict,
      (warning) => this.shown.push(warning),
    );
    openMath(this.L, new Chance(seed, drift), check);
    const seenNow = (thread: LuaState): number =>
      this.clock + (drift === null || isRecorded(thread) ? 0 : drift.aheadMs);
    openOs(this.L, { now: seenNow, startedAt, runId, guard: check });
    openCoroutine(this.L, this.scheduler);
    openPrimitives(bridge);
    this.root = newFrame('', {
      input: keepInput(this.L, {}),
      state: newStateStore(this.L, {}),
      step: null,
      group: null,
      depth: 0,
      isRecorded: false,
    });
    const main = toFunction(this.scheduler, (thread) => this.main(bridge, thread));
    this.scheduler.start((thread) => {
      lua.lua_pushcfunction(thread, main);
      return 0;
    }, this.root);
  }

  /**
   * Runs until the program waits for something, its slice is used up, or it has ended. Looks at one answer at most, so
   * what a turn does, and how long its slice is, doesn't depend on how many answers arrive together.
   */
  turn(): Turn {
    if (this.ended !== null) return this.ended;
    try {
      return this.advance();
    } catch (error) {
      if (!(error instanceof TactusError)) throw error;
      return (this.ended = { kind: 'failed', error });
    }
  }

  /**
   * An effect has ended; `at` is the time (ms since 1970) that the procedure's clock goes to. Takes effect with one
   * of the next turns: what one answer leads to is done before the next is looked at.
   */
  settle(position: Position, outcome: Outcome, at: number): void {
    this.settled.push({ position, outcome, at });
  }

  /**
   * The whole log, with the answers that the program hasn't looked at yet: what another execution starts from.
   * The program must not be used after this.
   */
  drain(): Checkpoint[] {
    for (const settled of this.settled.splice(0)) {
      const checkpoint = this.toCheckpoint(settled);
      if (checkpoint !== null) this.log.end(checkpoint);
    }
    return this.log.entries;
  }

  /** Effects that the program waits for, in the order in which it asked. */
  get pending(): EffectRequest[] {
    return [...this.scheduler.pending.values()];
  }

  /** What the file has declared so far. */
  describe(): Description {
    return describe(this.declared);
  }

  /** The top of the file has not ended yet, or has ended with an error. */
  get isLoading(): boolean {
    return this.declared.isLoading;
  }

  /** What the file has declared so far for its tests. */
  describeTests(): DeclaredTests {
    return describeTests(this.declared);
  }

  /** What the file has declared so far, for people and tools. */
  summary(): ProcedureSummary {
    return summarize(this.L, this.source, this.declared);
  }

  /** The state of the main procedure, as JSON; a note where it is too large. Looking at it costs the run nothing. */
  state(): JsonObject {
    const table = referredTo(this.L, this.root.scope.state.table);
    if (table === undefined) return {};
    try {
      const looked = lookAt(table, maxInlineBytes);
      if (looked === null)
        return { note: `the state is larger than the ${maxInlineBytes} bytes that can be shown` };
      return isObject(looked.value) ? looked.value : {};
    } catch (error) {
      if (error instanceof TactusError) return { error: error.message };
      throw error;
    }
  }

  private *main(bridge: Bridge, L: LuaState): Generator<never, number, unknown> {
    this.root.scope.input = keepInput(L, bridge.input);
    this.output = yield* runMain(bridge, L) as Generator<never, JsonValue, unknown>;
    const { payloadBytes } = bridge.limits;
    const bytes = jsonSize(this.output);
    if (bytes > payloadBytes)
      throw new TactusError(
        'payload_too_large',
        `an output of ${bytes} bytes is larger than the ${payloadBytes} that can be kept`,
      );
    return 0;
  }

  private advance(): Turn {
    this.meter.beginSlice();
    if (this.scheduler.isIdle && this.log.next === null) {
      const settled = this.settled.shift();
      if (settled !== undefined) this.record(settled);
    }
    for (;;) {
      const run = this.scheduler.run();
      if (run === 'slice') return { kind: 'slice' };
      if (run === 'finished') return this.finish();
      const next = this.log.next;
      if (next === null) break;
      const ended = this.log.end(next);
      // An answer that was recorded although its branch had been given up answers nobody this time either.
      if (this.scheduler.pending.has(next.position)) this.answer(ended);
      else if (!this.scheduler.isAwaited(next.position)) throw neverReached(next, this.pending);
    }
    const cancelled = this.scheduler.takeCancelled().filter((position) => this.open.delete(position));
    return { kind: 'blocked', asked: this.handOut(), cancelled };
  }

  /** As many new effects as may be open at once; the others are asked for when these have ended. */
  private handOut(): EffectRequest[] {
    const handed: EffectRequest[] = [];
    while (this.open.size < this.openEffects) {
      const request = this.asked.shift();
      if (request === undefined) break;
      if (!this.scheduler.pending.has(request.position)) continue;
      this.open.add(request.position);
      handed.push(request);
    }
    return handed;
  }

  private finish(): Turn {
    const error = this.scheduler.ending?.error ?? null;
    const { next } = this.log;
    if (error === null && next !== null && !this.scheduler.isAwaited(next.position))
      throw neverReached(next, []);
    return (this.ended =
      error === null ? { kind: 'completed', output: this.output } : { kind: 'failed', error });
  }

  private record(settled: Settled): void {
    const checkpoint = this.toCheckpoint(settled);
    if (checkpoint !== null) this.answer(this.log.end(checkpoint));
  }

  /** null where nobody waits for the answer any longer. */
  private toCheckpoint({ position, outcome, at }: Settled): Checkpoint | null {
    const request = this.scheduler.pending.get(position);
    if (request === undefined) return null;
    const { type, name, digest, source } = request;
    // The clock never goes back, nor does the log: answers are looked at in another order than they came in.
    const ended = Math.max(at, this.clock);
    const durationMs = ended - (this.askedAt.get(position) ?? ended);
    this.askedAt.delete(position);
    return {
      position,
      type,
      name,
      digest,
      outcome,
      at: ended,
      durationMs,
      source,
      input: shownInput(request),
    };
  }

  private answer({ position, outcome, at }: Checkpoint): void {
    this.open.delete(position);
    this.clock = Math.max(this.clock, at);
    this.meter.effectSettled();
    this.scheduler.settle(position, outcome);
  }

  private onAsk(request: EffectRequest): void {
    this.log.check(request, request.source, () => shownInput(request));
    this.askedAt.set(request.position, this.clock);
    this.asked.push(request);
  }

  private show(line: Line): void {
    const length =
      line.kind === 'print' ? line.text.length : line.message.length + JSON.stringify(line.context).length;
    this.meter.charge(lineCost + (length >> 2));
    this.meter.keep(100 + 2 * length);
    this.shown.push(line);
  }
}

/** What was asked, as the log shows it: without the conversation, which the log holds already. */
function shownInput({ effect }: EffectRequest): JsonValue {
  switch (effect.kind) {
    case 'model_call':
      return {
        model: effect.call.model,
        messages: effect.call.messages.length,
        tools: effect.call.tools.map(({ name }) => name),
      };
    case 'predict':
      return effect.prediction.input;
    case 'http': {
      const { method, url, body } = effect.request;
      return { method, url, ...(body === null ? {} : { body }) };
    }
    case 'human':
      return { message: effect.ask.message, context: effect.ask.context, options: effect.ask.options };
    case 'sleep':
      return { seconds: effect.ms / 1_000 };
    case 'file':
      return { path: effect.path };
    case 'procedure':
    case 'spawn':
      return { file: effect.file, input: effect.input };
    case 'children':
      return {
        runs: effect.ids,
        ...(effect.timeoutMs === null ? {} : { seconds: effect.timeoutMs / 1_000 }),
      };
    case 'cancel_child':
      return { run: effect.id };
    case 'defer':
      return { key: effect.key, resume_at: effect.resumeAt, reason: effect.reason };
  }
}
