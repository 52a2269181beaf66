import { checkModel, type ModelChoice } from '../activities/check-model.js';

/**
 * What the named models (null: the default) stand for in this environment.
 * @throws TactusError missing_key, unknown_model
 */
export function checkModels(models: readonly (string | null)[], env: NodeJS.ProcessEnv): ModelChoice[] {
  return models.map((model) => checkModel(model, env));
}
