import { extractJsonMiddleware, wrapLanguageModel } from 'ai';
import { TactusError } from '../../contract/errors.js';
import { modelBounds } from '../../egress/answer-bounds.js';
import type { ActivityDeps } from '../activity-deps.js';
import { distinctToolCalls } from './distinct-tool-calls.js';
import { exactArguments, withExactArguments } from './exact-arguments.js';
import { exactBodies } from './exact-bodies.js';
import { backgroundFetch, type HeldResponse } from './background/background-fetch.js';
import { providerFetch } from './provider-fetch.js';
import type { LocalRuntime } from './providers/local-runtime.js';
import type { Provider } from './providers/provider.js';
import type { ProviderModel } from './providers/provider-model.js';
import { withTextArguments } from './text-arguments.js';
import { quietWarnings } from './quiet-warnings.js';

export interface ModelUse {
  deps: ActivityDeps;
  /** The local model, where it is installed. */
  local: LocalRuntime | null;
  provider: Provider;
  /** The provider's own name of it. */
  model: string;
  /** Whether the answer is to be JSON. */
  isStructured: boolean;
  /** The API that OpenAI calls Responses is asked for. */
  isResponses: boolean;
  /** Of tool calls, in the conversation as the run has it. */
  callIds: readonly string[];
  /** 1 for the first attempt. */
  attempt: number;
  /** Where the provider is to answer in the background; else null. */
  background: HeldResponse | null;
}

/**
 * The AI SDK's model behind a choice.
 * @throws TactusError unknown_model where the provider has no such model, or not by that API
 */
export async function languageModel(use: ModelUse): Promise<ProviderModel> {
  const { deps, local, provider, model, isStructured, isResponses, attempt, background, callIds } = use;
  if (isResponses && !provider.hasResponses)
    throw new TactusError(
      'unknown_model',
      `${provider.name} has no Responses API: take model_type = "responses" away`,
    );
  if (background !== null && !provider.hasBackground)
    throw new TactusError(
      'unknown_model',
      `${provider.name} answers nothing in the background: take background = true away`,
    );
  const fetchSafely = providerFetch(deps, modelBounds);
  const fetchAnswer = background === null ? fetchSafely : backgroundFetch(fetchSafely, background);
  const made = await provider.model({
    ...{ model, env: deps.env, isResponses, local, attempt },
    fetch: exactBodies(fetchAnswer, (body) => withTextArguments(withExactArguments(body))),
  });
  const always = [quietWarnings, distinctToolCalls(callIds), exactArguments];
  const middleware = isStructured ? [...always, extractJsonMiddleware()] : always;
  return wrapLanguageModel({ model: made, middleware });
}
