import type { Environment } from '../../../../src/contract/environment.js';
import { canary } from '../run-activity.js';

/** An environment in which every provider is at the stand-in. */
export function providersAt(url: string): Environment {
  const names = [
    'OPENAI',
    'ANTHROPIC',
    'GOOGLE',
    'AZURE',
    'MISTRAL',
    'GROQ',
    'XAI',
    'OLLAMA',
    'VLLM',
    'OPENROUTER',
  ];
  return {
    ...Object.fromEntries(names.map((name) => [`${name}_API_KEY`, canary])),
    ...Object.fromEntries(names.map((name) => [`${name}_BASE_URL`, `${url}/${name.toLowerCase()}/v1`])),
    ...{ AWS_REGION: 'eu-west-1', BEDROCK_BASE_URL: url },
    ...{ AWS_ACCESS_KEY_ID: 'AKIACANARY', AWS_SECRET_ACCESS_KEY: canary },
  };
}
