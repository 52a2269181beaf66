import { stat } from 'node:fs/promises';
import { Tensor, type InferenceSession } from 'onnxruntime-node';
import { TactusError } from '../../../../../contract/errors.js';
import {
  dataBeside,
  OutputRoom,
  withoutPlace,
  type LoadedModel,
  type ModelKind,
  type ModelPlace,
} from '../model-kind.js';
import type { JsonObject, JsonValue } from '../../../../../contract/json/json.js';
import { dtypeOf, type TensorData } from './dtypes.js';
import { fromHalves } from './halves.js';
import { readInput, wantedInputs, type GivenInput } from './inputs.js';
import { presenterOf, rowOf, type Gotten } from './outputs.js';

/** Of the runtime's own log: what can't be helped. */
const errorsAlone = 3;
/** Where in its own sources an error arose: `/onnxruntime_src/….h:46 void onnxruntime::f(int) `. */
const nativePlace = /\/onnxruntime_src\/.*?\) (?=[A-Z])/s;

/** A file of ONNX, and those beside it that hold its weights. */
export const onnxModels: ModelKind = {
  async files({ place, path }) {
    if (!(await stat(place)).isFile())
      throw new TactusError('predict_failed', `${path} is a folder, and path must name the model's file`);
    return [place, ...(await dataBeside(place))];
  },
  variant: () => null,
  async load(model) {
    const session = await openSession(model);
    const loaded: LoadedModel = {
      run: (inputs, settings) => runOnnx(session, inputs, settings),
      dispose: () => session.release(),
    };
    return loaded;
  },
};

async function openSession({ place, path }: ModelPlace): Promise<InferenceSession> {
  const { InferenceSession } = await import('onnxruntime-node');
  try {
    return await InferenceSession.create(place, { logSeverityLevel: errorsAlone });
  } catch (error) {
    const said = withoutPlace(error instanceof Error ? error.message : String(error), place).replace(
      nativePlace,
      '',
    );
    throw new TactusError('predict_failed', `${path} can't be loaded as a model of ONNX: ${said}`);
  }
}

/** Inputs that the model is given at once. */
const mostRows = 256;

/**
 * Asks a model about inputs: together, where it takes many and gives as many.
 * @throws TactusError predict_failed
 */
async function runOnnx(
  session: InferenceSession,
  inputs: readonly JsonValue[],
  settings: JsonObject,
): Promise<JsonValue[]> {
  const wanted = wantedInputs(session, settings);
  const presenter = presenterOf(session, settings);
  const given = inputs.map((input, i) => readInput(wanted, input, i + 1));
  const takesMany = wanted.every(({ shape }) => shape !== null && shape[0] === null);
  const room = new OutputRoom();
  let asked = 0;
  while (asked < given.length && room.hasMore) {
    const group = takesMany
      ? alike(given.slice(asked, asked + room.next(mostRows)))
      : given.slice(asked, asked + 1);
    const [first] = group;
    if (first === undefined) break;
    for (const gotten of await askGroup(session, presenter.fetches, group))
      room.add(presenter.present(gotten, first.isRow));
    asked += group.length;
  }
  return room.outputs;
}

/** As many from the start as can be put one below the other. */
function alike(given: readonly GivenInput[]): GivenInput[] {
  const formOf = ({ tensors }: GivenInput): string =>
    JSON.stringify([...tensors.values()].map(({ dims }) => dims));
  const [first] = given;
  if (first === undefined || !first.isRow) return given.slice(0, 1);
  const form = formOf(first);
  const end = given.findIndex((each) => !each.isRow || formOf(each) !== form);
  return end === -1 ? [...given] : given.slice(0, end);
}

async function askGroup(
  session: InferenceSession,
  fetches: readonly string[],
  group: readonly GivenInput[],
): Promise<Gotten[]> {
  const together = await ask(session, fetches, group);
  if (group.length === 1) return [together];
  const isSplit = [...together.values()].every(({ dims }) => dims[0] === group.length);
  if (isSplit) return group.map((_, i) => rowOf(together, i));
  // It gives one thing for all of them.
  const gotten = [];
  for (const each of group) gotten.push(await ask(session, fetches, [each]));
  return gotten;
}

async function ask(
  session: InferenceSession,
  fetches: readonly string[],
  group: readonly GivenInput[],
): Promise<Gotten> {
  const feeds: Record<string, Tensor> = {};
  for (const [name, { dtype, dims }] of group[0]?.tensors ?? []) {
    const values = group.flatMap(({ tensors }) => tensors.get(name)?.values ?? []);
    const first = group.length === 1 ? (dims[0] ?? 1) : group.length;
    const whole = dims.length === 0 ? [] : [first, ...dims.slice(1)];
    feeds[name] = new Tensor(dtype as 'float32', dtypeOf(dtype, name).make(values) as Float32Array, whole);
  }
  const results = await session.run(feeds, [...fetches]);
  const gotten: Gotten = new Map();
  for (const name of fetches) {
    const tensor = results[name];
    if (tensor === undefined) throw new TactusError('predict_failed', `the model gave nothing for ${name}`);
    const data =
      tensor.type === 'float16' ? fromHalves(tensor.data as Uint16Array) : (tensor.data as TensorData);
    gotten.set(name, { dtype: tensor.type, dims: tensor.dims, data });
  }
  return gotten;
}
