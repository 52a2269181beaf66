import type { Environment } from '../../contract/environment.js';

/** Where OpenAI's protocol is spoken, by the variable's name of OpenAI's own clients or by the reference's; '': nowhere else. */
export function openAiBaseUrl(env: Environment): string {
  const [url = ''] = ['OPENAI_BASE_URL', 'OPENAI_API_BASE']
    .map((name) => env[name]?.trim() ?? '')
    .filter((each) => each !== '');
  return url;
}
