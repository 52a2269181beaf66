import type { wrapLanguageModel } from 'ai';
import { TactusError } from '../../../contract/errors.js';
import type { Environment } from '../../../contract/environment.js';
import { strictRules, type ConversationRules } from '../conversation.js';
import { readSecret } from '../../secrets/secrets.js';
import type { LocalRuntime } from './local-runtime.js';

/** What a provider can't do without: of several ways, each a set of variables that go together, one whole. */
export interface Need {
  /** `a key`, `an address`: for people. */
  what: string;
  ways: readonly (readonly string[])[];
}

/** One model of a provider, for one call. */
interface ProviderUse {
  /** The provider's own name of the model. */
  model: string;
  /** Where keys and addresses come from, and nowhere else. */
  env: Environment;
  fetch: typeof fetch;
  /** The API that OpenAI calls Responses, where a provider has several. */
  isResponses: boolean;
  /** The local model, where it is installed. */
  local: LocalRuntime | null;
  /** 1 for the first attempt. */
  attempt: number;
}

/** `files`: as OpenAI does; `messages`: as Anthropic does. */
export type BatchWay = 'files' | 'messages';

/** A provider of language models. One file each, beside this one. */
export interface Provider {
  readonly name: string;
  /** What its name alone stands for; null: a model must be named. */
  readonly defaultModel: string | null;
  /** npm package that speaks with it, where it is none of ours: loaded when it is used. */
  readonly package: string | null;
  /** Whether it has the API that OpenAI calls Responses. */
  readonly hasResponses: boolean;
  /** Whether it goes on with a response of that API for whoever asks for it later. */
  readonly hasBackground: boolean;
  /** How it takes many requests at once, for an answer within a day; null: not at all. */
  readonly batches: BatchWay | null;
  /** Whether only a stream tells how its answer ended. */
  readonly isStreamed: boolean;
  /** What it demands of a conversation with any of its models. */
  rules(env: Environment): ConversationRules;
  /** What the price list calls it. */
  readonly pricesName: string;
  /** The key that is sent; null: none. */
  readonly key: Need | null;
  /** What must be there before it is asked. */
  needs(env: Environment): readonly Need[];
  /** @throws TactusError unknown_model where there is none here */
  model(use: ProviderUse): Promise<ProviderModel>;
}

/** What most of them are. */
export const plainProvider = {
  defaultModel: null,
  package: null,
  hasResponses: false,
  hasBackground: false,
  batches: null,
  isStreamed: false,
  rules: () => strictRules,
} as const satisfies Partial<Provider>;

export function keyIn(...variables: readonly string[]): Need {
  return { what: 'a key', ways: variables.map((variable) => [variable]) };
}

/** The first way of a need for which all variables are set; null where none is. */
export function wayOf({ ways }: Need, env: Environment): readonly string[] | null {
  return ways.find((way) => way.every((variable) => readSecret(env, variable) !== null)) ?? null;
}

/**
 * What the first variable says of the first way that is there: the key, where one is needed.
 * @throws TactusError missing_key
 */
export function valueOf(need: Need, env: Environment): string {
  const [variable] = wayOf(need, env) ?? [];
  const value = variable === undefined ? null : readSecret(env, variable);
  if (value !== null) return value;
  throw new TactusError('missing_key', `This needs ${need.what}: set ${need.ways[0]?.join(' and ')}`);
}

/** What a variable says in place of a provider's public address, without a slash at its end. */
export function addressOf(env: Environment, variable: string, publicUrl: string): string {
  const url = env[variable]?.trim() ?? '';
  return (url === '' ? publicUrl : url).replace(/\/+$/, '');
}

/** A language model as the AI SDK's providers make them. */
export type ProviderModel = ReturnType<typeof wrapLanguageModel>;
export type CallOptions = Parameters<ProviderModel['doGenerate']>[0];

/** What the AI SDK's packages are given. All of it, since they would else look into the environment of the process. */
interface Access {
  apiKey: string;
  baseURL: string;
  fetch: typeof fetch;
}

/** A provider that wants one key. */
interface Keyed extends Partial<Omit<Provider, 'name' | 'key' | 'needs' | 'model'>> {
  name: string;
  /** Variables, of which one has the key. */
  keys: readonly string[];
  /** Where it is, unless the variable `<NAME>_BASE_URL` says otherwise. */
  url: string;
  /** Loads its package. */
  load: () => Promise<(access: Access) => (model: string) => ProviderModel>;
}

export function keyedProvider({ keys, url, load, ...provider }: Keyed): Provider {
  const key = keyIn(...keys);
  const { name } = provider;
  return {
    ...plainProvider,
    pricesName: name,
    ...provider,
    key,
    needs: () => [key],
    async model({ model, env, fetch }) {
      const baseURL = addressOf(env, `${name.toUpperCase()}_BASE_URL`, url);
      return (await load())({ apiKey: valueOf(key, env), baseURL, fetch })(model);
    },
  };
}
