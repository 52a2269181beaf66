import { getOwn, type JsonObject } from '../json/json.js';
import type { ToolApproval } from '../tools/outside-tool.js';

/** A tool that a provider runs itself while its model answers: a search of the web, say. */
export interface ProviderTool {
  /** By which the model knows it here. */
  name: string;
  /** `provider.openai.web_search`. */
  source: string;
  /** How it is set up, with names as `search_context_size`. */
  args: JsonObject;
  /** Name of the procedure, for the policy. */
  procedure: string;
  /** Left out: none was wanted. */
  approval?: ToolApproval;
}

/** OpenAI's models in Azure have the same. */
const openai = {
  web_search: ['search_context_size', 'user_location', 'filters', 'external_web_access'],
  file_search: ['vector_store_ids', 'max_num_results', 'ranking', 'filters'],
  code_interpreter: ['container'],
};

/** What there is of each provider, and what each is set up with. */
const tools: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  openai,
  azure: openai,
  anthropic: {
    web_search: ['max_uses', 'allowed_domains', 'blocked_domains', 'user_location'],
    web_fetch: ['max_uses', 'allowed_domains', 'blocked_domains', 'citations', 'max_content_tokens'],
    code_execution: [],
  },
  google: {
    google_search: ['search_types', 'time_range_filter'],
    url_context: [],
    code_execution: [],
    file_search: ['file_search_store_names', 'top_k', 'metadata_filter'],
  },
  xai: {
    web_search: ['allowed_domains', 'excluded_domains', 'enable_image_search', 'enable_image_understanding'],
    x_search: [
      ...['allowed_x_handles', 'excluded_x_handles', 'from_date', 'to_date'],
      ...['enable_image_understanding', 'enable_video_understanding'],
    ],
    code_execution: [],
    file_search: ['vector_store_ids', 'max_num_results'],
  },
  groq: { browser_search: [] },
};

const prefix = 'provider.';

/** All of them, as `provider.openai.web_search`. */
export const providerToolSources: readonly string[] = Object.entries(tools).flatMap(([provider, names]) =>
  Object.keys(names).map((name) => `${prefix}${provider}.${name}`),
);

/** `provider.openai.web_search` for `openai.web_search`, as files write it: what policies and approvals speak of. */
export function providerSource(written: string): string {
  return `${prefix}${written}`;
}

/** `openai` of `provider.openai.web_search`: for whose models it is there. */
export function runnerOf(source: string): string {
  return source.split('.')[1] ?? '';
}

/** OpenAI has its tools in one of its two APIs alone. */
export function needsResponses(source: string): boolean {
  return getOwn(tools, runnerOf(source)) === openai;
}

/** What a tool may be set up with; null: there is no such tool. */
export function argumentsOf(source: string): readonly string[] | null {
  const [, provider = '', ...name] = source.split('.');
  return getOwn(getOwn(tools, provider) ?? {}, name.join('.')) ?? null;
}

/** Why there is no such tool, or why it isn't set up so; null where all is well. */
export function providerToolProblem(source: string, args: JsonObject): string | null {
  const known = argumentsOf(source);
  const written = (each: string): string => each.slice(prefix.length);
  if (known === null)
    return `no provider runs ${written(source)}; there are ${providerToolSources.map(written).join(', ')}`;
  const odd = Object.keys(args).find((name) => !known.includes(name));
  if (odd === undefined) return null;
  const there = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
  return `${written(source)} takes no ${odd} in args: ${there}`;
}
