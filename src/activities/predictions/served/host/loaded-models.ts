import { TactusError } from '../../../../contract/errors.js';
import type { ModelsHeld } from './messages.js';
import type { LoadedModel } from './model-kind.js';

interface Held {
  model: LoadedModel;
  path: string;
  bytes: number;
  stamp: string;
}

/** A model that is to be had, as its files are now. */
export interface WantedModel {
  key: string;
  path: string;
  bytes: number;
  /** Another one as soon as its files are. */
  stamp: string;
  load: () => Promise<LoadedModel>;
}

/** Models in memory, by their files' size: those that were asked longest ago give way to others. */
export class LoadedModels {
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

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
