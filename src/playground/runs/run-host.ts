import type { Checkpoint, EffectRequest, Outcome, Position } from '../../contract/checkpoints/checkpoint.js';
import type { RunError } from '../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { MockPlan } from '../../contract/mocks/mock-plan.js';
import { defaultLimits } from '../../contract/runs/limits.js';
import type { Shown } from '../../contract/runs/run-view.js';
import { Program, type ProgramOptions, type Turn } from '../../lua-bridge/index.js';
import { answerOutcome, perform, type Waiting } from './perform.js';
import type { RunRecord } from './run-record.js';

/** What the page shows of a run. */
export interface RunView {
  status: 'running' | 'waiting' | 'completed' | 'failed' | 'killed';
  output: JsonValue;
  error: RunError | null;
  log: readonly Checkpoint[];
  /** Positions that a fork can begin at: the record has no parts of what a snapshot stands for. */
  forkPositions: ReadonlySet<Position>;
  /** How many of the results were recorded before this start. */
  replayed: number;
  /** `since`, `endsAt`: in ms since 1970; null: it has no end by itself. */
  waits: readonly (Waiting & { since: number; endsAt: number | null })[];
  shown: readonly Shown[];
  state: JsonObject;
  modelCalls: number;
}

interface Open {
  waiting: Waiting;
  since: number;
  timer: ReturnType<typeof setTimeout> | null;
  endsAt: number | null;
  outcome: (() => Outcome) | null;
}

/** Browsers count milliseconds of a timer in 31 bits. */
const longestTimer = 2 ** 31 - 1;

/**
 * Performs a run in the browser, with the engine that workers have: what the procedure asks for is performed, and each result is
 * recorded.
 *
 * Owns: the program, its open effects and their timers, and the record.
 * Asks: nobody. Whoever made it is told of each change, and answers what waits for a person.
 * Invariants:
 *  1. A result is in the record as soon as the procedure has it: what others are asked for because of it begins after that.
 *  2. `kill` drops all but the record. Another host that begins with it repeats no recorded call.
 *  3. After `kill`, or its end, the run changes nothing any more.
 */
export class RunHost {
  private readonly program: Program;
  private readonly open = new Map<Position, Open>();
  /** What has a result that the procedure hasn't been given yet. */
  private readonly settled = new Set<Position>();
  private ending: { output: JsonValue } | { error: RunError } | null = null;
  private isKilled = false;
  private next: ReturnType<typeof setTimeout> | null = null;
  private readonly replayed: number;

  /**
   * @param record what it begins with, and keeps up to date
   * @param script of the model, a line for each answer
   * @param onChange is told when the view has changed, and the record is to be kept
   */
  constructor(
    private readonly record: RunRecord,
    private readonly script: () => readonly string[],
    private readonly onChange: () => void,
  ) {
    this.replayed = record.log.length;
    this.program = new Program({ ...programOptions(record), carried: record.log });
  }

  /** Begins, or continues. */
  start(): void {
    this.advance();
  }

  get view(): RunView {
    const { ending, program, record } = this;
    const isFailed = ending !== null && 'error' in ending;
    return {
      status: this.status,
      output: ending !== null && 'output' in ending ? ending.output : null,
      error: isFailed ? ending.error : null,
      log: program.log.entries,
      forkPositions: new Set(record.log.map((each) => each.position)),
      replayed: this.replayed,
      waits: [...this.open.values()].map(({ waiting, since, endsAt }) => ({ ...waiting, since, endsAt })),
      shown: program.shown,
      state: program.state(),
      modelCalls: record.modelCalls,
    };
  }

  /** Ends it as a crash does: what is under way is lost, and only the record is left. */
  kill(): void {
    this.isKilled = this.ending === null;
    this.stop();
    this.onChange();
  }

  /** Answers a request to people, or sends an event. @returns why it is no answer; null: it is one */
  answer(position: Position, value: JsonValue): string | null {
    const waiting = this.open.get(position)?.waiting;
    if (waiting === undefined) return 'Nothing waits here any more';
    const outcome: Outcome | string =
      waiting.kind === 'person' ? answerOutcome(waiting.ask, value) : { ok: true, value: { value } };
    if (typeof outcome === 'string') return outcome;
    this.settle(position, outcome);
    return null;
  }

  /** Lets a timer end now. */
  skip(position: Position): void {
    const outcome = this.open.get(position)?.outcome;
    if (outcome != null) this.settle(position, outcome());
  }

  private get status(): RunView['status'] {
    if (this.isKilled) return 'killed';
    if (this.ending !== null) return 'error' in this.ending ? 'failed' : 'completed';
    const waits = [...this.open.values()];
    return this.next === null && waits.every(({ waiting }) => waiting.kind !== 'model')
      ? 'waiting'
      : 'running';
  }

  /** One turn. Long ones are cut into slices, so that the page stays alive. */
  private advance(): void {
    this.next = null;
    if (this.isKilled || this.ending !== null) return;
    const turn = this.turn();
    if (turn === null) return this.onChange();
    this.record.log = [...this.program.log.needed];
    if (turn.kind === 'slice') this.soon();
    else if (turn.kind === 'completed') this.end({ output: turn.output });
    else if (turn.kind === 'failed') this.end({ error: turn.error.toRunError() });
    else {
      for (const position of turn.cancelled) this.close(position);
      for (const request of turn.asked) this.begin(request);
      this.hearMore();
    }
    this.onChange();
  }

  /** null: a fault of ours has ended the run. What is recorded stays, so that a resume tries again. */
  private turn(): Turn | null {
    try {
      return this.program.turn();
    } catch (error) {
      const message = `This is a fault of the playground: ${error instanceof Error ? error.message : String(error)}`;
      this.end({ error: { code: 'internal', message, file: null, line: null, traceback: null } });
      return null;
    }
  }

  /** A turn looks at one result: others that have come meanwhile have turns of their own. */
  private hearMore(): void {
    const pending = new Set(this.program.pending.map(({ position }) => position));
    for (const position of this.settled) if (!pending.has(position)) this.settled.delete(position);
    if (this.settled.size > 0) this.soon();
  }

  private soon(): void {
    this.next ??= setTimeout(() => this.advance(), 0);
  }

  private begin(request: EffectRequest): void {
    const { position, effect } = request;
    const { lines, ends } = this.record;
    if (effect.kind === 'model_call') {
      lines[position] ??= Object.keys(lines).length;
      this.record.modelCalls++;
    }
    const begun = perform(request, this.script(), lines[position] ?? 0);
    if ('ok' in begun) return this.settle(position, begun);
    const { waiting, end } = begun;
    const outcome = end?.outcome ?? null;
    const open: Open = { waiting, outcome, since: Date.now(), timer: null, endsAt: null };
    this.open.set(position, open);
    if (end === null) return;
    // The end of a timer survives a kill; the call of a model is made anew.
    const known = waiting.kind === 'model' ? undefined : ends[position];
    open.endsAt = known ?? Date.now() + end.ms;
    if (waiting.kind !== 'model') ends[position] = open.endsAt;
    this.await(open, open.endsAt);
  }

  private await(open: Open, endsAt: number): void {
    const ms = Math.max(0, endsAt - Date.now());
    const end = (): void => (ms > longestTimer ? this.await(open, endsAt) : this.skip(open.waiting.position));
    open.timer = setTimeout(end, Math.min(longestTimer, ms));
  }

  private settle(position: Position, outcome: Outcome): void {
    this.close(position);
    this.settled.add(position);
    this.program.settle(position, outcome, Date.now());
    this.soon();
  }

  private close(position: Position): void {
    const timer = this.open.get(position)?.timer ?? null;
    if (timer !== null) clearTimeout(timer);
    this.open.delete(position);
    delete this.record.ends[position];
  }

  private end(ending: NonNullable<RunHost['ending']>): void {
    this.ending = ending;
    this.stop();
  }

  private stop(): void {
    if (this.next !== null) clearTimeout(this.next);
    this.next = null;
    for (const { timer } of this.open.values()) if (timer !== null) clearTimeout(timer);
    this.open.clear();
  }
}

/** What a program of the playground is made with. A file with `Mocks` runs with them, as by `run --mock`. */
export function programOptions({
  source,
  input,
  runId,
  startedAt,
  seed,
}: Pick<RunRecord, 'source' | 'input' | 'runId' | 'startedAt' | 'seed'>): Omit<ProgramOptions, 'carried'> {
  const isMocked = /^\s*[Mm]ocks\s*[({]/m.test(source.files[source.entry] ?? '');
  const mock: MockPlan = { all: true, agents: {}, results: {}, people: null };
  return { source, input, runId, startedAt, seed, limits: defaultLimits, ...(isMocked ? { mock } : {}) };
}
