import { defaultLimits, type Limits } from '../../src/contract/runs/limits.js';
import type { Checkpoint, EffectRequest, Outcome } from '../../src/contract/checkpoints/checkpoint.js';
import type { Drift } from '../../src/contract/specifications/scenario.js';
import { TactusError } from '../../src/contract/errors.js';
import { definitionOf, type Effect } from '../../src/contract/effects/effects.js';
import type { JsonValue } from '../../src/contract/json/json.js';
import type { MockPlan } from '../../src/contract/mocks/mock-plan.js';
import type { RunSettings } from '../../src/contract/runs/run-settings.js';
import type { Pass } from '../../src/contract/runs/pass.js';
import type { ProcedureSource } from '../../src/contract/procedures/source.js';
import { numberOf } from './random-procedure.js';
import { Program, type ProgramOptions, type Turn } from '../../src/lua-bridge/index.js';

/** Answers an effect at once; throwing stands for its failure. */
export type Perform = (effect: Effect, request: EffectRequest) => JsonValue;

export interface FakeRun {
  ended: Extract<Turn, { kind: 'completed' | 'failed' }> | null;
  program: Program;
  /** What was performed, in order: `type position`. */
  performed: string[];
  slices: number;
  /** What each pass after the first went on with. */
  passes: Pass[];
  /** The log as each program after the first was handed it. */
  handed: (readonly Checkpoint[])[];
}

export interface FakeOptions {
  input?: JsonValue;
  /** The task to run. */
  task?: string;
  /** What `require` finds beside it. */
  files?: Record<string, string>;
  /** All files, where the entry isn't `main.tac`. */
  source?: ProcedureSource;
  limits?: Partial<Limits>;
  /** Where the procedure's file lies. */
  folder?: string;
  seed?: string;
  carried?: readonly Checkpoint[];
  settings?: RunSettings;
  mock?: MockPlan;
  drift?: Drift;
  engine?: number;
  perform?: Perform;
  /** Left out: one turn after the other, and nothing beside. */
  turn?: (program: Program) => Turn;
  /** What the run goes on with that began again. */
  pass?: Pass;
  /** What is given no answer; left out: everything has one. */
  isLeft?: (request: EffectRequest) => boolean;
  /** Whether another program goes on with the log after so many effects; left out: one program runs to the end. */
  handsOver?: (effects: number) => boolean;
}

export const runStart = Date.UTC(2026, 0, 2, 3, 4, 5);

export function fakeProgram(source: string, options: FakeOptions = {}): Program {
  return new Program(programOptions(source, options));
}

export function programOptions(source: string, options: FakeOptions = {}): ProgramOptions {
  return {
    source: options.source ?? { entry: 'main.tac', files: { 'main.tac': source, ...options.files } },
    input: options.input ?? {},
    task: options.task,
    runId: 'run',
    startedAt: runStart,
    seed: options.seed ?? 'seed',
    limits: { ...defaultLimits, ...options.limits },
    carried: options.carried ?? [],
    settings: options.settings,
    mock: options.mock,
    drift: options.drift,
    engine: options.engine,
    folder: options.folder,
    pass: options.pass,
  };
}

export const answerOf: Perform = (effect, { position }) =>
  definitionOf(effect.kind).example(effect, position);

/** What random procedures are answered: the same at the same place, whenever its turn comes. */
export function randomAnswer(request: EffectRequest): JsonValue {
  const { effect, position } = request;
  const chance = (below: number): number => numberOf(`${position} ${request.digest}`, below);
  const example = answerOf(effect, request) as Record<string, JsonValue>;
  if (effect.kind === 'human') {
    const { kind, options } = effect.ask;
    const value =
      kind === 'select' ? (options[chance(3)] ?? null) : kind === 'input' ? 'words' : chance(4) > 0;
    return { ...example, value };
  }
  if (effect.kind !== 'model_call') return example;
  const tool = effect.call.tools[chance(4)];
  return {
    ...example,
    text: `said ${chance(100)}`,
    toolCalls:
      tool === undefined || effect.call.messages.length > 6
        ? []
        : [{ id: 'c', name: tool.name, arguments: {} }],
    usage: { input_tokens: chance(60), output_tokens: 1, input_usd: 0, output_usd: 0 },
  };
}

/** Runs a procedure to its end against a host in memory, one answer at a time in the order of asking. */
export function runFake(source: string, options: FakeOptions = {}): FakeRun {
  let program = fakeProgram(source, options);
  const run: FakeRun = { ended: null, program, performed: [], slices: 0, passes: [], handed: [] };
  const perform = options.perform ?? answerOf;
  let at = runStart;
  let handedAt = 0;
  for (;;) {
    const turn = options.turn?.(program) ?? program.turn();
    if (turn.kind === 'slice') run.slices++;
    else if (turn.kind === 'blocked') {
      if (handedAt !== run.performed.length && options.handsOver?.(run.performed.length) === true) {
        handedAt = run.performed.length;
        program.drain();
        const carried = JSON.parse(JSON.stringify(program.log.needed)) as Checkpoint[];
        run.handed.push(carried);
        run.program = program = fakeProgram(source, { ...options, carried });
        continue;
      }
      const request = program.pending.find((each) => options.isLeft?.(each) !== true);
      if (request === undefined) return run;
      run.performed.push(`${request.type} ${request.position}`);
      const { effect } = request;
      if (effect.kind === 'continue_as_new') {
        const { input, state } = effect;
        const end = { position: Number(request.position), input, state };
        const pass = program.nextPass(end, `execution-${run.passes.length + 1}`);
        run.passes.push(pass);
        run.program = program = fakeProgram(source, { ...options, input, pass, carried: [] });
        continue;
      }
      program.settle(request.position, outcomeOf(perform, request), (at += 1_000));
    } else {
      run.ended = turn;
      return run;
    }
  }
}

export function outcomeOf(perform: Perform, request: EffectRequest): Outcome {
  try {
    return { ok: true, value: perform(request.effect, request) };
  } catch (error) {
    return {
      ok: false,
      code: error instanceof TactusError ? error.code : 'tool_failed',
      message: error instanceof Error ? error.message : String(error),
    };
  }
}

/** The output of a run that completed, or its error's text. */
export function outputOf(source: string, options: FakeOptions = {}): JsonValue {
  const { ended } = runFake(source, options);
  if (ended === null) throw new Error('the run waits for something that nothing will bring');
  if (ended.kind === 'failed') throw ended.error;
  return ended.output;
}
