import { TactusError } from '../contract/errors.js';
import type { Environment } from '../contract/environment.js';
import { openAiBaseUrl } from './openai-base-url.js';
import { readSecret } from './read-secret.js';

export type Provider = 'openai' | 'anthropic' | 'local';

export interface ModelChoice {
  provider: Provider;
  /** The provider's own name of the model. */
  model: string;
}

/** What a provider's name alone stands for, and the model that is used where nobody names one. */
const defaultModels: Record<Provider, string> = {
  openai: 'gpt-5-mini',
  anthropic: 'claude-haiku-4-5',
  local: 'smollm2-135m-instruct',
};

/** The variable that holds the provider's key. */
export const keyVariables = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' } as const;

const impliedProviders: [RegExp, Provider][] = [
  [/^(ft:)?(gpt-|chatgpt-|o[134]\b)/, 'openai'],
  [/^claude-/, 'anthropic'],
];

/**
 * Says who is to answer: `provider/model` and `provider:model` are taken apart, well-known names imply their provider,
 * and null means TACTUS_DEFAULT_MODEL, else the first provider that has a key, else the local model. Needs nothing but
 * the environment, so that a run with a wrong model or without a key is refused before it starts.
 * @throws TactusError unknown_model, or missing_key with the variable's name in the message and in `details.variable`
 */
export function checkModel(model: string | null, env: Environment): ModelChoice {
  const choice = chooseModel(model ?? env['TACTUS_DEFAULT_MODEL']?.trim() ?? '', env);
  requireKey(choice, env);
  return choice;
}

function chooseModel(name: string, env: Environment): ModelChoice {
  if (name === '') return { provider: defaultProvider(env), model: defaultModels[defaultProvider(env)] };
  if (isProvider(name)) return { provider: name, model: defaultModels[name] };
  const [, prefix = '', rest = ''] = /^([^/:]+)[/:](.+)$/s.exec(name) ?? [];
  if (isProvider(prefix)) return checkLocal({ provider: prefix, model: rest });
  const implied = impliedProviders.find(([pattern]) => pattern.test(name));
  if (implied !== undefined) return { provider: implied[1], model: name };
  // Servers that speak OpenAI's protocol give models names of their own: `llama3:8b`.
  if (!name.includes('/') && hasBaseUrl(env)) return { provider: 'openai', model: name };
  throw new TactusError(
    'unknown_model',
    `Unknown model ${JSON.stringify(name)}: write it as provider/model, with one of the providers ${Object.keys(defaultModels).join(', ')}`,
    { model: name },
  );
}

function checkLocal(choice: ModelChoice): ModelChoice {
  if (choice.provider !== 'local' || choice.model === defaultModels.local) return choice;
  throw new TactusError(
    'unknown_model',
    `Unknown model "local/${choice.model}": there is local/${defaultModels.local}`,
    {
      model: `local/${choice.model}`,
    },
  );
}

function defaultProvider(env: Environment): Provider {
  if (readSecret(env, keyVariables.openai) !== null) return 'openai';
  return readSecret(env, keyVariables.anthropic) !== null ? 'anthropic' : 'local';
}

function requireKey({ provider, model }: ModelChoice, env: Environment): void {
  if (provider === 'local') return;
  // Servers of one's own often want no key.
  if (provider === 'openai' && hasBaseUrl(env)) return;
  const variable = keyVariables[provider];
  if (readSecret(env, variable) !== null) return;
  throw new TactusError(
    'missing_key',
    `The model ${provider}/${model} needs a key: set ${variable} (or ${variable}_FILE)`,
    {
      variable,
      model: `${provider}/${model}`,
    },
  );
}

function hasBaseUrl(env: Environment): boolean {
  return openAiBaseUrl(env) !== '';
}

function isProvider(name: string): name is Provider {
  return Object.hasOwn(defaultModels, name);
}
