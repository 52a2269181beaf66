import { checkModel, type ModelChoice } from '../../activities/models/check-model.js';
import { providers } from '../../activities/models/providers/index.js';
import { wayOf } from '../../activities/models/providers/provider.js';

/**
 * What the named models (null: the default) stand for in this environment.
 * @throws TactusError missing_key, missing_package, unknown_model
 */
export function checkModels(models: readonly (string | null)[], env: NodeJS.ProcessEnv): ModelChoice[] {
  return models.map((model) => checkModel(model, env));
}

/** The variables of this environment that hold keys of providers, by their names. */
export function keysSet(env: NodeJS.ProcessEnv): string[] {
  return providers.flatMap(({ key }) => (key === null ? [] : (wayOf(key, env) ?? [])));
}
