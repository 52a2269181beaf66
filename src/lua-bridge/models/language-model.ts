import { TactusError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json/json.js';
import type { ModelCall } from '../../contract/models/model-call.js';
import type { Bridge } from '../kernel/bridge.js';
import { PerRun } from '../kernel/per-run.js';
import { predictionSettings, readSettings } from './call-settings.js';
import { modelName } from './model-name.js';

/** What `LM("openai/gpt-5-mini", {…})` says. */
export interface LanguageModel {
  /** `openai/gpt-5-mini`. */
  model: string;
  settings: ModelCall['settings'];
  /** The settings as they were written. */
  written: JsonObject;
}

/** The one that was said last; null: none was. */
export const languageModel = new PerRun((): { current: LanguageModel | null } => ({ current: null }));

/** @throws TactusError source_invalid where the model has no provider, or a setting is none */
export function readLanguageModel(bridge: Bridge, model: string, config: JsonObject): LanguageModel {
  const name = modelName(model);
  if (!/^[^/]+\/./.test(name))
    throw new TactusError(
      'source_invalid',
      `LM: Invalid model format: ${model}. Expected format like 'provider/model-name'`,
    );
  const written = Object.fromEntries(predictionSettings(bridge).map((key) => [key, config[key] ?? null]));
  return { model: name, settings: readSettings(bridge, written, `LM "${name}"`), written };
}
