import { TactusError } from '../../../../contract/errors.js';
import { megabytes } from '../../../../contract/text/texts.js';
import {
  lookAtFiles,
  versionOf,
  withoutPlace,
  type HostAnswer,
  type HostedType,
  type HostRequest,
  type LoadedModel,
  type ModelKind,
  type ModelsHeld,
} from './model-kind.js';

interface Held {
  model: LoadedModel;
  path: string;
  bytes: number;
  stamp: string;
}

/** A model that is to be had, as its files are now. */
interface WantedModel {
  key: string;
  path: string;
  bytes: number;
  /** Another one as soon as its files are. */
  stamp: string;
  load: () => Promise<LoadedModel>;
}

/** Models in memory, by their files' size: those that were asked longest ago give way to others. */
class LoadedModels {
  /** The one that was asked last comes last. */
  private readonly models = new Map<string, Held>();

  /** @throws TactusError predict_failed for one that is larger than all there may be; whatever `load` throws */
  async get(
    { key, path, bytes, stamp, load }: WantedModel,
    most: number,
    held: ModelsHeld,
  ): Promise<LoadedModel> {
    const there = this.models.get(key);
    this.models.delete(key);
    if (there?.stamp === stamp) {
      this.models.set(key, there);
      return there.model;
    }
    if (there !== undefined) await there.model.dispose();
    if (bytes > most)
      throw new TactusError(
        'predict_failed',
        `its files have ${megabytes(bytes)} MB, and this worker keeps ${megabytes(most)} MB of models at most: raise model_memory`,
      );
    await this.makeRoom(most - bytes, held);
    const start = performance.now();
    const model = await load();
    held.loaded = { path, bytes, ms: Math.round(performance.now() - start) };
    this.models.set(key, { model, path, bytes, stamp });
    return model;
  }

  private async makeRoom(most: number, { dropped }: ModelsHeld): Promise<void> {
    for (const [key, { model, path }] of this.models) {
      if (this.bytes <= most) return;
      this.models.delete(key);
      dropped.push(path);
      await model.dispose();
    }
  }

  private get bytes(): number {
    return [...this.models.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/** Loaded when one of the type is first asked. */
const kinds: Record<HostedType, () => Promise<ModelKind>> = {
  onnx: async () => (await import('./onnx/onnx-models.js')).onnxModels,
  bert: async () => (await import('./text/text-models.js')).textModels('bert'),
  hf_sequence_classifier: async () =>
    (await import('./text/text-models.js')).textModels('hf_sequence_classifier'),
  sentence_transformers: async () =>
    (await import('./text/text-models.js')).textModels('sentence_transformers'),
};

const models = new LoadedModels();
/** Of models whose files were the same before and after they were loaded. */
const versions = new WeakMap<LoadedModel, string>();
/** Of a model whose files change while it is loaded. */
const mostLoads = 3;
/** Of a runtime that gets no memory: another attempt may find some. */
const outOfMemory = /bad_alloc|allocate memory|out of memory/i;

/** Asks a model, which it loads where it isn't there already. */
export async function answer(request: HostRequest): Promise<HostAnswer> {
  const held: ModelsHeld = { dropped: [] };
  try {
    const { model, version } = await modelOf(request, held);
    const { inputs, settings } = request;
    const outputs = inputs.length === 0 ? [] : await model.run(inputs, settings);
    return { ok: true, outputs, version, held };
  } catch (error) {
    if (error instanceof TactusError)
      return { ok: false, code: error.code, message: error.message, retryable: false, held };
    const said = error instanceof Error ? error.message : String(error);
    const message = withoutPlace(said, request.place);
    return { ok: false, code: 'predict_failed', message, retryable: outOfMemory.test(said), held };
  }
}

async function modelOf(
  { type, place, root, path, settings, memoryBytes }: HostRequest,
  held: ModelsHeld,
): Promise<{ model: LoadedModel; version: string }> {
  const kind = await kinds[type]();
  const where = { place, path, settings };
  const look = async (): ReturnType<typeof lookAtFiles> => lookAtFiles(await kind.files(where), place, root);
  for (let tries = 0; ; tries++) {
    const { stamp, bytes, files } = await look();
    const key = JSON.stringify([type, place, kind.variant(where)]);
    const load = (): Promise<LoadedModel> => kind.load(where);
    const model = await models.get({ key, path, bytes, stamp, load }, memoryBytes, held);
    const known = versions.get(model);
    if (known !== undefined) return { model, version: known };
    const version = await versionOf({ stamp, bytes, files });
    // What was loaded, and what was hashed, must be the same files.
    if ((await look()).stamp === stamp) {
      versions.set(model, version);
      return { model, version };
    }
    if (tries === mostLoads)
      throw new TactusError('predict_failed', `the files of ${path} change all the time`);
  }
}
