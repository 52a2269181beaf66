import type { wrapLanguageModel } from 'ai';

/** A language model as the AI SDK's providers make them. */
export type ProviderModel = ReturnType<typeof wrapLanguageModel>;
export type CallOptions = Parameters<ProviderModel['doGenerate']>[0];

export interface ProviderOptions {
  /** The provider's own name of the model. */
  model: string;
  apiKey: string | null;
  /** Where the provider is, or null for its public address. */
  baseUrl: string | null;
  fetch: typeof fetch;
}
