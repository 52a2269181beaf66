import { extractJsonMiddleware, wrapLanguageModel } from 'ai';
import { TactusError } from '../contract/errors.js';
import type { Environment } from '../contract/environment.js';
import type { ActivityDeps } from './activity-deps.js';
import { keyVariables, type ModelChoice } from './check-model.js';
import { providerFetch } from './provider-fetch.js';
import { anthropicModel } from './providers/anthropic.js';
import type { LocalRuntime } from './providers/local-runtime.js';
import { openAiBaseUrl } from './openai-base-url.js';
import { localModel } from './providers/local.js';
import { openAiCompatibleModel } from './providers/openai-compatible.js';
import { openAiModel } from './providers/openai.js';
import type { ProviderModel } from './providers/provider-options.js';
import { quietWarnings } from './quiet-warnings.js';
import { readSecret } from './read-secret.js';

export interface ModelUse {
  deps: ActivityDeps;
  /** The local model, where it is installed. */
  local: LocalRuntime | null;
  choice: ModelChoice;
  /** Whether the answer is to be JSON. */
  isStructured: boolean;
  /** 1 for the first attempt. */
  attempt: number;
}

/** The AI SDK's model behind a choice. */
export function languageModel(use: ModelUse): ProviderModel {
  const middleware = use.isStructured ? [quietWarnings, extractJsonMiddleware()] : [quietWarnings];
  return wrapLanguageModel({ model: providerModel(use), middleware });
}

function providerModel({ deps, local, choice, attempt }: ModelUse): ProviderModel {
  const { provider, model } = choice;
  if (provider === 'local') return localModel({ runtime: requireLocal(local), model, attempt });
  const options = {
    model,
    apiKey: readSecret(deps.env, keyVariables[provider]),
    baseUrl: baseUrl(deps.env, provider),
    fetch: providerFetch(deps.fetch ?? fetch),
  };
  if (provider === 'anthropic') return anthropicModel(options);
  return options.baseUrl === null ? openAiModel(options) : openAiCompatibleModel(options);
}

function requireLocal(local: LocalRuntime | null): LocalRuntime {
  if (local !== null) return local;
  throw new TactusError(
    'unknown_model',
    `This worker has no local model: tactus-temporal doctor says how to get it, and a worker of your own is given it as localModel; or set ${Object.values(keyVariables).join(' or ')}`,
  );
}

/** Null where the provider's public address is meant. */
function baseUrl(env: Environment, provider: 'openai' | 'anthropic'): string | null {
  const url = provider === 'openai' ? openAiBaseUrl(env) : (env['ANTHROPIC_BASE_URL']?.trim() ?? '');
  if (url === '' || (provider === 'openai' && URL.canParse(url) && new URL(url).host === 'api.openai.com'))
    return null;
  return url;
}
