import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { fieldsPart, PerRun, readRetry, type Bridge } from '../kernel/index.js';
import type { ModelCall } from '../../contract/models/model-call.js';
import { readDuration } from '../../contract/time/duration.js';

/** Which model an agent names; both null: the default. */
export interface ModelChoice {
  model: string | null;
  provider: string | null;
  /** Those that are asked where it fails, in order. */
  fallbacks?: readonly string[];
}

/** What holds in the file for those who don't say. */
export const defaultModel = new PerRun(
  (): ModelChoice => ({ model: null, provider: null }),
  fieldsPart('default model'),
);

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
export const languageModel = new PerRun(
  (): { current: LanguageModel | null } => ({ current: null }),
  fieldsPart('language model'),
);

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

/** Keys of a call that are settings of its requests; others that an agent has are for templates there. */
export function callSettings(bridge: Bridge): string[] {
  return [
    ...['temperature', 'max_tokens', 'request_timeout', 'retries', 'retry', 'tool_choice'],
    ...(bridge.holds('call-options') ? ['idle_timeout'] : []),
  ];
}

/** Keys of an agent that are settings of its requests. */
export function agentSettings(bridge: Bridge): string[] {
  return [
    ...callSettings(bridge),
    ...['top_p', 'seed', 'stop', 'reasoning_effort', 'verbosity', 'model_type', 'background'],
  ];
}

/** The same of what calls no tools. */
export function predictionSettings(bridge: Bridge): string[] {
  return agentSettings(bridge).filter((key) => key !== 'tool_choice');
}

/** Settings of a request, from the agent's table or from one call's. */
export function readSettings(bridge: Bridge, values: JsonObject, what: string): ModelCall['settings'] {
  const nested = (value: JsonValue | undefined): JsonObject =>
    isObject(value ?? null) ? (value as JsonObject) : {};
  const all: JsonObject = {
    ...nested(values['model']),
    ...nested(values['model_settings']),
    ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
  };
  const settings: ModelCall['settings'] = {};
  const { temperature, max_tokens: maxTokens, request_timeout: timeout } = all;
  if (temperature !== undefined) {
    if (typeof temperature !== 'number' || temperature < 0 || temperature > 2)
      throw new TactusError(
        'source_invalid',
        `${what}: temperature must be a number from 0 to 2, got ${JSON.stringify(temperature)}`,
      );
    settings.temperature = temperature;
  }
  if (maxTokens !== undefined) {
    if (!Number.isInteger(maxTokens) || Number(maxTokens) < 1)
      throw new TactusError(
        'source_invalid',
        `${what}: max_tokens must be a positive integer, got ${JSON.stringify(maxTokens)}`,
      );
    settings.maxTokens = Number(maxTokens);
  }
  if (timeout !== undefined)
    settings.timeoutMs = readDuration(timeout, `${what}: request_timeout`, 'source_invalid');
  Object.assign(settings, readOptions(bridge, all, what));
  const retry = readRetry(all, what, 'source_invalid', bridge.holds('retry-time'));
  if (retry !== null) settings.retry = retry;
  Object.assign(settings, readSampling(all, what));
  const choice = readToolChoice(bridge, all['tool_choice'] ?? null, what);
  if (choice !== null) settings.toolChoice = choice;
  return settings;
}

/** `"required"`, or one tool: `{ name = "lookup" }`, as providers write it too. A word that says nothing is left out. */
function readToolChoice(
  bridge: Bridge,
  given: JsonValue,
  what: string,
): NonNullable<ModelCall['settings']['toolChoice']> | null {
  if (given === 'auto' || given === 'required' || given === 'none') return given;
  if (!isObject(given) || !bridge.holds('turn-options')) return null;
  const { function: inner = null, name = isObject(inner) ? (inner['name'] ?? null) : null } = given;
  if (typeof name === 'string' && name !== '') return { tool: name };
  throw new TactusError(
    'source_invalid',
    `${what}: tool_choice must be "auto", "required", "none" or a tool such as { name = "lookup" }, got ${JSON.stringify(given)}`,
  );
}

/** What runs that began before don't have, wherever it is written. */
function readOptions(bridge: Bridge, all: JsonObject, what: string): ModelCall['settings'] {
  if (!bridge.holds('call-options')) return {};
  const { idle_timeout: idle, background = false, model_type: modelType } = all;
  const settings: ModelCall['settings'] = {};
  if (idle !== undefined)
    settings.idleTimeoutMs = readDuration(idle, `${what}: idle_timeout`, 'source_invalid');
  if (typeof background !== 'boolean')
    throw new TactusError(
      'source_invalid',
      `${what}: background must be true or false, got ${JSON.stringify(background)}`,
    );
  if (background && modelType !== 'responses')
    throw new TactusError('source_invalid', `${what}: background = true needs model_type = "responses"`);
  if (background) settings.isBackground = true;
  return settings;
}

function readSampling(all: JsonObject, what: string): ModelCall['settings'] {
  const { top_p: topP, seed, stop, reasoning_effort: reasoningEffort, verbosity, model_type } = all;
  const invalid = (name: string, wanted: string): TactusError =>
    new TactusError('source_invalid', `${what}: ${name} must be ${wanted}, got ${JSON.stringify(all[name])}`);
  const settings: ModelCall['settings'] = {};
  if (topP !== undefined) {
    if (typeof topP !== 'number' || topP < 0 || topP > 1) throw invalid('top_p', 'a number from 0 to 1');
    settings.topP = topP;
  }
  if (seed !== undefined) {
    if (!Number.isInteger(seed)) throw invalid('seed', 'an integer');
    settings.seed = Number(seed);
  }
  if (stop !== undefined) {
    const texts = [stop].flat();
    if (!texts.every((text): text is string => typeof text === 'string' && text !== ''))
      throw invalid('stop', 'a text or a list of texts');
    if (texts.length > 0) settings.stop = texts;
  }
  if (reasoningEffort !== undefined) {
    if (typeof reasoningEffort !== 'string') throw invalid('reasoning_effort', 'a text such as "low"');
    settings.reasoningEffort = reasoningEffort;
  }
  if (verbosity !== undefined) {
    if (typeof verbosity !== 'string') throw invalid('verbosity', 'a text such as "low"');
    settings.verbosity = verbosity;
  }
  // What else the reference knows, `chat`, is what is done without a word.
  if (model_type === 'responses') settings.modelType = model_type;
  return settings;
}
