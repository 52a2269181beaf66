import type { Environment } from '../../../contract/environment.js';
import { TactusError } from '../../../contract/errors.js';
import { impliedProvider, providerName } from '../../../contract/models/model-call.js';
import { isInstalled } from '../../packages/installed.js';
import { anthropic } from './anthropic.js';
import { azure } from './azure.js';
import { bedrock } from './bedrock.js';
import { compatibleProvider } from './compatible.js';
import { google } from './google.js';
import { groq } from './groq.js';
import { local } from './local.js';
import { mistral } from './mistral.js';
import { openai, openAiBaseUrl } from './openai.js';
import { wayOf, type Need, type Provider } from './provider.js';
import { xai } from './xai.js';

const ollama = compatibleProvider({
  name: 'ollama',
  url: 'http://127.0.0.1:11434/v1',
  wantsKey: false,
});
const vllm = compatibleProvider({
  name: 'vllm',
  url: 'http://127.0.0.1:8000/v1',
  wantsKey: false,
});
const openrouter = compatibleProvider({
  name: 'openrouter',
  url: 'https://openrouter.ai/api/v1',
  wantsKey: true,
});

export const providers: readonly Provider[] = [
  ...[openai, anthropic, google, bedrock, azure, mistral, groq, xai],
  ...[openrouter, ollama, vllm, local],
];

/** Those of whom one is taken where nobody names a model: the first that has a key. */
const preferredProviders: readonly Provider[] = [openai, anthropic];
const localProvider: Provider = local;
const openAiProvider: Provider = openai;

/** By its name, or one that it goes by elsewhere. */
function providerCalled(name: string): Provider | null {
  return providers.find((each) => each.name === providerName(name)) ?? null;
}

/** Who is to answer. */
export interface ModelChoice {
  provider: Provider;
  /** The provider's own name of the model. */
  model: string;
}

/**
 * Says who is to answer: `provider/model` and `provider:model` are taken apart, well-known names imply their provider,
 * and null means TACTUS_DEFAULT_MODEL, else the first provider that has a key, else the local model. Looks at nothing but
 * the environment and what is installed, so that a run with a wrong model or without a key is refused before it starts.
 * @throws TactusError unknown_model; missing_package with `details.package`; missing_key with the variable's name in the message
 *   and in `details.variable`
 */
export function checkModel(model: string | null, env: Environment): ModelChoice {
  const [provider, name] = chooseModel(model ?? env['TACTUS_DEFAULT_MODEL']?.trim() ?? '', env);
  const subject = `${provider.name}/${name}`;
  requirePackage(provider, subject);
  for (const need of provider.needs(env)) requireOneOf(need, subject, env);
  return { provider, model: name };
}

function chooseModel(name: string, env: Environment): [Provider, string] {
  if (name === '') return defaultOf(defaultProvider(env));
  const alone = providerCalled(name);
  if (alone !== null) return defaultOf(alone);
  const [, prefix = '', rest = ''] = /^([^/:]+)[/:](.+)$/s.exec(name) ?? [];
  const named = providerCalled(prefix);
  if (named !== null) return [named, checkLocal(named, rest)];
  const implied = providerCalled(impliedProvider(name) ?? '');
  if (implied !== null) return [implied, name];
  // Servers that speak OpenAI's protocol give models names of their own: `llama3:8b`.
  if (!name.includes('/') && openAiBaseUrl(env) !== '') return [openAiProvider, name];
  throw new TactusError(
    'unknown_model',
    `Unknown model ${JSON.stringify(name)}: write it as provider/model, with one of the providers ${providers.map((each) => each.name).join(', ')}`,
    { model: name },
  );
}

/** @throws TactusError unknown_model where the provider's name alone says too little */
function defaultOf(provider: Provider): [Provider, string] {
  const { name, defaultModel } = provider;
  if (defaultModel !== null) return [provider, defaultModel];
  throw new TactusError('unknown_model', `Which model of ${name}? Write it as ${name}/MODEL`, {
    model: name,
  });
}

function checkLocal(provider: Provider, model: string): string {
  if (provider !== localProvider || model === provider.defaultModel) return model;
  throw new TactusError(
    'unknown_model',
    `Unknown model "local/${model}": there is local/${provider.defaultModel}`,
    { model: `local/${model}` },
  );
}

function defaultProvider(env: Environment): Provider {
  const hasKey = ({ key }: Provider): boolean => key !== null && wayOf(key, env) !== null;
  return preferredProviders.find(hasKey) ?? localProvider;
}

function requirePackage({ package: name }: Provider, model: string): void {
  if (name === null || isInstalled(name)) return;
  throw new TactusError(
    'missing_package',
    `The model ${model} needs a package that isn't installed: npm install ${name}`,
    { package: name, model },
  );
}

function requireOneOf(need: Need, model: string, env: Environment): void {
  if (wayOf(need, env) !== null) return;
  const [variable = ''] = need.ways[0] ?? [];
  const ways = need.ways.map((way) => way.join(' and '));
  const file = need.what === 'a key' ? ` (or ${variable}_FILE)` : '';
  throw new TactusError(
    'missing_key',
    `The model ${model} needs ${need.what}: set ${ways.join(', or ')}${file}`,
    { variable, model },
  );
}
