import { digestOf } from '../../contract/effects/digest.js';
import { TactusError } from '../../contract/errors.js';
import { jsonAs, jsonSize, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type {
  ModelRunResult,
  PredictionResult,
  ServedModel,
} from '../../contract/predictions/served-model.js';
import { checkpointed, recorded } from '../checkpoints/checkpointed.js';
import { Random } from '../determinism/determinism.js';
import { mapPart, PerRun, type Bridge, type LuaState, type Step } from '../kernel/index.js';
import { mocks } from '../mocks/mocks.js';
import { armOf, combine, type Combination } from './combined-model.js';
import { askLlm } from './llm-model.js';
import { usualBatch, type ModelDeclaration } from './model-declaration.js';

/** What a model says of one input. */
export interface ModelAnswer extends PredictionResult {
  /** Left out: it can't be told. */
  version?: string;
  /** Of models that are made of others: what each of them said, or which one was asked. */
  metadata?: JsonObject;
}

/** Asks the model, or its mock. A checkpoint. */
export function* runModel(
  bridge: Bridge,
  L: LuaState,
  model: ModelDeclaration,
  name: string,
  input: JsonValue,
): Generator<Step, ModelAnswer, unknown> {
  const mocked = mockOf(bridge, model, name, input);
  if (mocked === null) return yield* askSource(bridge, L, model, name, input);
  const spec = { type: 'model_predict', name, input, digest: digestOf(input) } as const;
  const output = yield* recorded(bridge, L, spec, () => mocked.value);
  return { output, cost: null };
}

/** The same for many inputs, in order. A model of a worker is asked about many at once; others about one after the other. */
export function* runModelBatch(
  bridge: Bridge,
  L: LuaState,
  model: ModelDeclaration,
  name: string,
  inputs: readonly JsonValue[],
): Generator<Step, ModelAnswer[], unknown> {
  const { source } = model;
  if (source.kind === 'served' && !mocks.of(bridge).standsFor(name)) {
    const { outputs, cost, version } = yield* askServed(bridge, source.backend, name, inputs, source.batch);
    const each = cost === null ? null : cost / inputs.length;
    return outputs.map((output) => ({ output, cost: each, ...(version === null ? {} : { version }) }));
  }
  const answers: ModelAnswer[] = [];
  for (const input of inputs) answers.push(yield* runModel(bridge, L, model, name, input));
  return answers;
}

function mockOf(
  bridge: Bridge,
  { source, output: declared }: ModelDeclaration,
  name: string,
  input: JsonValue,
): { value: JsonValue } | null {
  const isMock = source.kind === 'simple' && source.backend.type === 'mock';
  const unwritten = isMock ? null : mocks.of(bridge).prediction(name, declared);
  const isSaid = source.kind === 'llm' && declared === null && unwritten !== null;
  return (
    mocks.of(bridge).result(name, input, 'predict_failed') ??
    (isSaid ? { value: { response: unwritten.value } } : unwritten)
  );
}

function* askSource(
  bridge: Bridge,
  L: LuaState,
  { type, source, output: declared }: ModelDeclaration,
  name: string,
  input: JsonValue,
): Generator<Step, ModelAnswer, unknown> {
  switch (source.kind) {
    case 'llm':
      return { output: yield* askLlm(bridge, L, source.llm, name, input, declared), cost: null };
    case 'simple': {
      const effect = {
        kind: 'predict',
        prediction: { model: name, backend: source.backend, input },
      } as const;
      return (yield { effect: { type: 'model_predict', name, effect } }) as PredictionResult;
    }
    case 'served': {
      const { outputs, cost, version } = yield* askServed(bridge, source.backend, name, [input]);
      return { output: outputs[0] ?? null, cost, ...(version === null ? {} : { version }) };
    }
    case 'combined':
      return yield* askCombined(bridge, L, source, name, input);
    case 'none':
      throw new TactusError(
        'predict_failed',
        `models of the type "${type}" don't run here: serve ${name} by HTTP, and declare it with type = "http"`,
      );
  }
}

/** How often each split was asked. */
const timesAsked = new PerRun(() => new Map<string, number>(), mapPart('questions of splits'));

/** One checkpoint, with those of the models that are asked in it. */
function* askCombined(
  bridge: Bridge,
  L: LuaState,
  { combination, members }: { combination: Combination; members: readonly ModelDeclaration[] },
  name: string,
  input: JsonValue,
): Generator<Step, ModelAnswer, unknown> {
  const spec = { type: 'model_predict', name, input, digest: digestOf(input) } as const;
  const answer = yield* checkpointed(bridge, L, spec, function* () {
    const ask = (member: ModelDeclaration): Generator<Step, ModelAnswer, unknown> =>
      runModel(bridge, L, member, member.name ?? name, input);
    if (combination.kind === 'split') {
      const arm = yield* chosenArm(bridge, L, name, combination);
      const { output, cost } = yield* ask(members[arm] as ModelDeclaration);
      return { output, cost, metadata: { arm_index: arm } };
    }
    const votes: JsonValue[] = [];
    let cost: number | null = null;
    for (const member of members) {
      const each: ModelAnswer = yield* ask(member);
      votes.push(each.output);
      if (each.cost !== null) cost = (cost ?? 0) + each.cost;
    }
    return { output: combine(combination.strategy, votes), cost, metadata: { votes } };
  });
  return jsonAs<ModelAnswer>(answer);
}

/** Recorded: what goes on with the log has the arm that was asked then. */
function* chosenArm(
  bridge: Bridge,
  L: LuaState,
  name: string,
  { weights, seed }: Extract<Combination, { kind: 'split' }>,
): Generator<Step, number, unknown> {
  const known = timesAsked.of(bridge);
  const nth = known.get(name) ?? 0;
  known.set(name, nth + 1);
  const chance = new Random(`${seed ?? bridge.run.id}:${name}:${nth}`).next();
  const spec = { type: 'explicit_checkpoint', name: 'arm', input: null, digest: '' } as const;
  return Number(yield* recorded(bridge, L, spec, () => armOf(weights, chance)));
}

/** Bytes of the questions of one activity, as JSON: far below what the server takes. */
const batchBytes = 1_000_000;

/** What each model said it was when the run first asked it. */
const versions = new PerRun(() => new Map<string, string>(), mapPart('versions of models'));

interface ServedAnswer {
  outputs: JsonValue[];
  /** US dollars; null: no price is known. */
  cost: number | null;
  version: string | null;
}

/**
 * Asks a model of a worker about all inputs, in order: one activity for as many as go together.
 * @param most questions in one activity
 */
function* askServed(
  bridge: Bridge,
  backend: ServedModel,
  name: string,
  inputs: readonly JsonValue[],
  most = usualBatch,
): Generator<Step, ServedAnswer, unknown> {
  const outputs: JsonValue[] = [];
  let cost: number | null = null;
  let version: string | null = null;
  while (outputs.length < inputs.length) {
    const asked = firstOf(inputs.slice(outputs.length, outputs.length + most));
    const effect = { kind: 'run_model', run: { model: name, backend, inputs: asked } } as const;
    const answer = (yield { effect: { type: 'model_predict', name, effect } }) as ModelRunResult;
    outputs.push(...answer.outputs.slice(0, asked.length));
    if (answer.cost !== null) cost = (cost ?? 0) + answer.cost;
    version = answer.version;
    noticeChange(bridge, name, version);
  }
  return { outputs, cost, version };
}

/** As many as one activity is told of: one at least. */
function firstOf(inputs: readonly JsonValue[]): JsonValue[] {
  let bytes = 0;
  const fits = inputs.findIndex((input, i) => {
    bytes += jsonSize(input);
    return i > 0 && bytes > batchBytes;
  });
  return fits === -1 ? [...inputs] : inputs.slice(0, fits);
}

/** What was predicted stands; that later predictions are another model's is said. */
function noticeChange(bridge: Bridge, name: string, version: string | null): void {
  if (version === null) return;
  const known = versions.of(bridge);
  const before = known.get(name);
  known.set(name, version);
  if (before === undefined || before === version) return;
  const message = `The model ${name} is another one than this run has asked before`;
  bridge.show({ kind: 'log', level: 'warning', message, context: { model: name, before, now: version } });
}
