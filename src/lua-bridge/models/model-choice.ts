import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { PerRun, type Bridge } from '../kernel/index.js';
import type { ModelCall } from '../../contract/models/model-call.js';
import { predictionSettings, readSettings } from './call-settings.js';

/** Which model an agent names; both null: the default. */
export interface ModelChoice {
  model: string | null;
  provider: string | null;
  /** Those that are asked where it fails, in order. */
  fallbacks?: readonly string[];
}

/** What holds in the file for those who don't say. */
export const defaultModel = new PerRun((): ModelChoice => ({ model: null, provider: null }));

/** What holds where the file doesn't say either. */
function configuredModel({ run }: Bridge): ModelChoice {
  const { defaultModel: model, defaultProvider } = run.settings;
  return { model: model === undefined ? null : modelName(model), provider: defaultProvider ?? null };
}

/** What the 0.10 dialect takes where an agent names only its provider. */
const modelsOfProviders: Record<string, string> = { openai: 'gpt-4o' };

/**
 * `model = "gpt-5-mini", provider = "openai"` and the other ways to write it.
 * @throws TactusError source_invalid
 */
export function readModelChoice(
  bridge: Bridge,
  model: JsonValue,
  provider: string | null,
  what: string,
): ModelChoice {
  const isList = Array.isArray(model) && bridge.holds('model-options');
  const names = (isList ? model : [isObject(model) ? (model['name'] ?? null) : model]).map((name) =>
    readName(name, what),
  );
  const [first = null, ...others] = names;
  const fallbacks = others.filter((name) => name !== null);
  return { model: first, provider, ...(fallbacks.length === 0 ? {} : { fallbacks }) };
}

function readName(name: JsonValue, what: string): string | null {
  if (name === null) return null;
  if (typeof name === 'string' && name !== '') return modelName(name);
  throw new TactusError(
    'source_invalid',
    `${what}: model must be a name such as "openai/gpt-5-mini", or a list of names`,
  );
}

/** What `LM` says for those who name neither a model nor a provider, in a file that names neither; else null. */
function inheritedFromLm(bridge: Bridge, choice: ModelChoice): LanguageModel | null {
  const named = [choice, defaultModel.of(bridge)].flatMap(({ model, provider }) => [model, provider]);
  return named.every((each) => each === null) ? languageModel.of(bridge).current : null;
}

/** The settings of a request: with a model that `LM` says come its settings, where there are no others. */
export function settingsWith(
  bridge: Bridge,
  choice: ModelChoice,
  settings: ModelCall['settings'],
): ModelCall['settings'] {
  return { ...inheritedFromLm(bridge, choice)?.settings, ...settings };
}

/**
 * `openai/gpt-5-mini`, with what `default_model` and `default_provider` of the file say, or `LM`, then the configuration;
 * null: the worker's default.
 */
export function modelOf(bridge: Bridge, choice: ModelChoice): string | null {
  const defaults = defaultModel.of(bridge);
  const configured = configuredModel(bridge);
  const inherited = choice.provider === null || choice.provider === defaults.provider ? defaults.model : null;
  const named = choice.model ?? inherited ?? inheritedFromLm(bridge, choice)?.model ?? null;
  const provider =
    choice.provider ?? (named?.includes('/') === true ? null : (defaults.provider ?? configured.provider));
  const model =
    named ??
    (provider === configured.provider || provider === null ? configured.model : null) ??
    (provider === null ? null : (getOwn(modelsOfProviders, provider) ?? null));
  if (model === null || provider === null || model.startsWith(`${provider}/`)) return model;
  return `${provider}/${model}`;
}

/** The models that a request is for, in the order in which they are asked. */
export function modelsOf(bridge: Bridge, choice: ModelChoice): (string | null)[] {
  const others = (choice.fallbacks ?? []).map((model) => modelOf(bridge, { ...choice, model }));
  return [modelOf(bridge, choice), ...others];
}

/**
 * Like `modelsOf`: null stands for the worker's default.
 * @throws TactusError unknown_model where a provider is named that no model is known of
 */
export function askedModels(bridge: Bridge, choice: ModelChoice, what: string): (string | null)[] {
  const models = modelsOf(bridge, choice);
  if (models[0] === null && choice.provider !== null)
    throw new TactusError('unknown_model', `${what} names the provider ${choice.provider} and no model`);
  return models;
}

/** `openai/gpt-5-mini` for `openai:gpt-5-mini`. */
export function modelName(text: string): string {
  return text.replace(/^(\w+):/, '$1/');
}

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
