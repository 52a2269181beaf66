import { jsonSchema, tool, TypeValidationError, type ToolSet } from 'ai';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import type { ModelCall, ModelCallResult } from '../../contract/models/model-call.js';
import { needsResponses, runnerOf, type ProviderTool } from '../../contract/models/provider-tool.js';
import { visibleName } from '../../contract/tools/outside-tool.js';
import { judgeCall, noPolicy, type ToolPolicy } from '../../contract/tools/tool-policy.js';
import { Fault } from '../retries/failures.js';
import { approvalProblem } from '../tools/refusal.js';

/** Revisions of Anthropic's, of those that all of its models take. */
const revisions: Readonly<Record<string, string>> = {
  web_search: '20250305',
  web_fetch: '20250910',
  code_execution: '20250825',
};

/** What of a call's tools goes to the provider. */
export interface SentTools {
  sent: ProviderTool[];
  /** What is told of the rest. */
  withheld: Pick<ModelCallResult, 'withheld'>;
}

/**
 * The tools of a call that the provider runs, as far as the worker's own policy lets them go out now, whatever the run was told.
 * @throws TactusError unknown_model where none of them is of the provider, or not by this API
 */
export function sentTools(
  { providerTools = [], settings }: ModelCall,
  provider: string,
  policy: ToolPolicy = noPolicy,
): SentTools {
  const own = providerTools.filter(({ source }) => runnerOf(source) === provider);
  const [foreign] = own.length === 0 ? providerTools : [];
  if (foreign !== undefined)
    throw new TactusError(
      'unknown_model',
      `${provider} has no ${foreign.source}: give the agent another model`,
    );
  const unreachable = own.find(({ source }) => needsResponses(source) && settings.modelType !== 'responses');
  if (unreachable !== undefined)
    throw new TactusError('unknown_model', `${unreachable.source} needs model_type = "responses"`);
  const judged = own.map((each) => ({ ...each, reason: problemOf(each, policy) }));
  const withheld = judged.flatMap(({ name, reason }) => (reason === null ? [] : [{ name, reason }]));
  return {
    sent: judged.filter(({ reason }) => reason === null),
    withheld: withheld.length === 0 ? {} : { withheld },
  };
}

function problemOf(
  { name, source, args, procedure, approval }: ProviderTool,
  policy: ToolPolicy,
): string | null {
  const { action, rule } = judgeCall(policy, { names: [source, visibleName(source)], procedure, args });
  const withheld = `${name} was not given to the model`;
  if (action === 'deny') return `${withheld}: the worker's policy forbids ${source}`;
  if (action === 'allow' && approval === undefined) return null;
  const problem = approvalProblem({ source, args, ...(approval === undefined ? {} : { approval }) }, rule);
  return problem === null ? null : `${withheld}: the approval of ${source} ${problem}`;
}

/** As the AI SDK has them. */
export function providerToolSet(tools: readonly ProviderTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, source, args }) => [
      name,
      tool({
        type: 'provider',
        isProviderExecuted: true,
        id: idOf(source),
        args: camelKeys(args) as Record<string, unknown>,
        inputSchema: jsonSchema({}),
        outputSchema: jsonSchema({}),
      }),
    ]),
  );
}

/** What the provider's package finds wrong with how a tool is set up, before anything is sent; null: it is something else. */
export function wrongArgs(error: unknown, tools: ToolSet): Fault | null {
  if (!TypeValidationError.isInstance(error)) return null;
  const isIts = (each: ToolSet[string]): boolean => each.type === 'provider' && each.args === error.value;
  const [name] = Object.entries(tools).find(([, each]) => isIts(each)) ?? [];
  if (name === undefined) return null;
  const { issues = [] } = error.cause as { issues?: { path: PropertyKey[]; message: string }[] };
  const found = issues.map(({ path, message }) => `${path.map(written).join('.')}: ${message}`);
  return new Fault(`takes no such args of ${name}: ${found.join('; ')}`, { retryable: false });
}

/** Those of OpenAI's models in Azure are OpenAI's. */
function idOf(source: string): `${string}.${string}` {
  const [, provider = '', name = ''] = source.split('.');
  if (provider === 'anthropic') return `anthropic.${name}_${revisions[name] ?? ''}`;
  return `${provider === 'azure' ? 'openai' : provider}.${name}`;
}

/** `searchContextSize` for `search_context_size`. */
function camelKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(camelKeys);
  if (!isObject(value)) return value;
  const camel = (name: string): string =>
    name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [camel(name), camelKeys(each)]));
}

/** `search_context_size` for `searchContextSize`. */
function written(name: PropertyKey): string {
  return String(name).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
