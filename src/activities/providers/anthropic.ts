import { createAnthropic } from '@ai-sdk/anthropic';
import type { ProviderModel, ProviderOptions } from './provider-options.js';

const publicUrl = 'https://api.anthropic.com/v1';

/** Anthropic's Messages API. Its own tools take the base URL without the version, the AI SDK with it: both work. */
export function anthropicModel({ model, apiKey, baseUrl, fetch }: ProviderOptions): ProviderModel {
  const baseURL = baseUrl === null ? publicUrl : baseUrl.replace(/(\/v1)?\/*$/, '/v1');
  return createAnthropic({ apiKey: apiKey ?? '', baseURL, fetch })(model);
}
