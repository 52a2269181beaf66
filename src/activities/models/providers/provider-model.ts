import type { wrapLanguageModel } from 'ai';

/** A language model as the AI SDK's providers make them. */
export type ProviderModel = ReturnType<typeof wrapLanguageModel>;
export type CallOptions = Parameters<ProviderModel['doGenerate']>[0];
