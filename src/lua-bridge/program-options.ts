import type { Trial } from '../contract/changes/trial.js';
import type { CarriedAnswers } from '../contract/runs/carried-answers.js';
import type { Checkpoint, EffectRequest } from '../contract/checkpoints/checkpoint.js';
import type { Spent } from '../contract/models/model-call.js';
import type { SteeringTaken } from '../contract/agents/steer-effect.js';
import type { JsonValue } from '../contract/json/json.js';
import type { Labels } from '../contract/runs/labels.js';
import type { Limits } from '../contract/runs/limits.js';
import type { MockPlan } from '../contract/mocks/mock-plan.js';
import type { RunSettings } from '../contract/runs/run-settings.js';
import type { Drift, ScenarioStep } from '../contract/specifications/scenario.js';
import type { ProcedureSource } from '../contract/procedures/source.js';
import type { Carry, ParentRun, StartInput } from '../contract/runs/start-input.js';
import type { Pass } from '../contract/runs/pass.js';
import type { Judge } from '../log/compare.js';
import type { RunSpec } from './kernel/index.js';

export interface ProgramOptions {
  source: ProcedureSource;
  input: JsonValue;
  /** The task of the file to run; left out: what it runs by itself. */
  task?: string | undefined;
  /** What a model has written, to be run in place of that; left out: nothing. */
  code?: { agent: string; file: string } | undefined;
  runId: string;
  /** Start of the run, in ms since 1970: the procedure's clock until its first checkpoint ends. */
  startedAt: number;
  /** Seed of the procedure's random numbers. */
  seed: string;
  limits: Limits;
  /** Checkpoints recorded before this start, in the order in which they ended. */
  carried: readonly Checkpoint[];
  /** Recorded elsewhere, and answers to what comes after them; left out: none. */
  answers?: CarriedAnswers | undefined;
  /** What another run was answered, where it tries a source with that; left out: it doesn't. */
  trial?: Trial | undefined;
  /** What configuration says; left out: nothing. */
  settings?: RunSettings | undefined;
  /** What the run was started with; left out: none. */
  labels?: Labels | undefined;
  /** The run that has started this one; left out: none. */
  parent?: ParentRun | undefined;
  /** Where `tactus.io` reads and writes; left out: where `File` does. */
  folder?: string | undefined;
  /** Id of the message that begins a turn of a thread; left out: it has none. */
  messageId?: string | undefined;
  /** Answers that the run gives itself; left out: none. */
  mock?: MockPlan | undefined;
  /** What to do for a scenario; left out: run the procedure. */
  scenario?: readonly ScenarioStep[] | undefined;
  /** Which changes of behaviour hold; left out: those of the newest engine. */
  engine?: number | undefined;
  /** Whether somebody has said something to an agent, by its name; left out: nobody does. */
  isSteered?: ((agent: string) => boolean) | undefined;
  /** Gives an agent what has been said to it; to be given with `isSteered`. */
  takeSteering?: ((agent: string) => SteeringTaken) | undefined;
  /** What was used that budgets haven't counted; left out: nothing. */
  spent?: readonly Spent[] | undefined;
  /** What the run goes on with that began again; left out: it is in its first pass. */
  pass?: Pass | undefined;
  /** Is told of each effect that the procedure asks for, also of those that are recorded. */
  onAsked?: ((request: EffectRequest) => void) | undefined;
  /** Has a say on what the procedure asks for; left out: what differs from the log is refused. */
  judge?: Judge | undefined;
  /**
   * Is told, after each part that is whole, of what another execution would begin with: then a snapshot is taken of each, also in a
   * scenario. For tests; left out: snapshots are taken where they make the log smaller.
   */
  onCompacted?: ((part: string, carried: readonly Checkpoint[]) => void) | undefined;
  /** Left out: chance and time are the run's own everywhere. */
  drift?: Drift | undefined;
}

/** Gives what a program takes of the start of its run, and of what the execution before handed over. */
export function optionsOfStart(
  {
    source,
    input,
    task,
    code,
    settings,
    folder,
    messageId,
    mock,
    scenario,
    drift,
    parent,
    labels,
  }: StartInput & Pick<ProgramOptions, 'source'>,
  { startedAt, seed, spent, pass }: Pick<Carry, 'startedAt' | 'seed' | 'spent' | 'pass'>,
): Omit<ProgramOptions, 'runId' | 'limits' | 'carried'> {
  return {
    ...{ source, input: input ?? {}, task, code, settings, folder, messageId },
    ...{ mock, scenario, drift, parent, labels },
    ...{ startedAt, seed, spent, pass },
  };
}

/** What of the options a run keeps, with what holds where they say nothing. */
export function specOf(options: ProgramOptions): RunSpec {
  const { runId: id, startedAt, source, input, settings = {}, folder = '', messageId = null } = options;
  const { task = null, mock = null, scenario = null, code = null, pass = null, labels = {} } = options;
  return {
    ...{ id, startedAt, source, input, task, settings, messageId, mock, scenario, code, pass, labels },
    callsBefore: options.parent?.calls ?? null,
    deadline: options.parent?.deadline ?? null,
    folder: folder === '' ? null : folder,
  };
}
