import type { Environment } from '../../../contract/environment.js';
import { looseRules, strictRules } from '../conversation.js';
import { readSecret } from '../../secrets/secrets.js';
import { compatibleModel } from './compatible.js';
import { keyIn, plainProvider, type Provider } from './provider.js';

/** Given in full, since the library would else look into the environment of the process. */
const publicUrl = 'https://api.openai.com/v1';
const key = keyIn('OPENAI_API_KEY');

/**
 * OpenAI itself, or what speaks its protocol at `OPENAI_BASE_URL`. By Chat Completions, or by Responses where that is asked
 * for: the whole conversation is in each request, and nothing is kept there.
 */
export const openai: Provider = {
  ...plainProvider,
  name: 'openai',
  defaultModel: 'gpt-5-mini',
  hasResponses: true,
  hasBackground: true,
  batches: 'files',
  rules: (env) => ({ ...(ownUrl(env) === null ? looseRules : strictRules), answersPrompts: true }),
  pricesName: 'openai',
  key,
  // Servers of one's own often want no key.
  needs: (env) => (openAiBaseUrl(env) === '' ? [key] : []),
  async model({ model, env, fetch, isResponses }) {
    const apiKey = readSecret(env, 'OPENAI_API_KEY');
    const url = ownUrl(env);
    if (url !== null && !isResponses) return compatibleModel({ name: 'openai', model, url, apiKey, fetch });
    const { createOpenAI } = await import('@ai-sdk/openai');
    const provider = createOpenAI({ apiKey: apiKey ?? '', baseURL: url ?? publicUrl, fetch });
    return isResponses ? provider.responses(model) : provider.chat(model);
  },
};

/** Null where the public address is meant. */
function ownUrl(env: Environment): string | null {
  const url = openAiBaseUrl(env);
  if (url === '' || (URL.canParse(url) && new URL(url).host === 'api.openai.com')) return null;
  return url;
}

/** Where OpenAI's protocol is spoken, by the variable's name of OpenAI's own clients or by the reference's; '': nowhere else. */
export function openAiBaseUrl(env: Environment): string {
  const [url = ''] = ['OPENAI_BASE_URL', 'OPENAI_API_BASE']
    .map((name) => env[name]?.trim() ?? '')
    .filter((each) => each !== '');
  return url;
}
