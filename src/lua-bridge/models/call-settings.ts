import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { ModelCall } from '../../contract/models/model-call.js';
import { readDuration } from '../../contract/time/duration.js';
import { readRetry, type Bridge } from '../kernel/index.js';

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
