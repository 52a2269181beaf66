/** Rules about the settings of models and of the tools that their providers run. */
import {
  type Expression,
  fieldOf,
  listItems,
  namedFields,
  stringValue,
  type TableConstructorExpression,
} from '../syntax/ast.js';
import { numberOf } from '../syntax/literal-kind.js';
import type { Finding, Rule } from '../rule.js';
import { modelName, modelTypes } from '../../lua-bridge/index.js';
import { closest } from '../program/did-you-mean.js';
import {
  argumentsOf,
  needsResponses,
  providerSource,
  providerToolProblem,
  providerToolSources,
  runnerOf,
} from '../../contract/models/provider-tool.js';
import { providerName, providerOfModel } from '../../contract/models/model-call.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import { type Declared, takesAllTools } from '../program/declared.js';
import { declaredAs, valueOf } from '../syntax/value-of.js';
import type { SourceFile } from '../syntax/source-file.js';

/** Settings of agents and models outside of what their providers and hosts take. */
export const invalidSetting: Rule = {
  code: 'invalid_setting',
  severity: 'error',
  *check(file, { declared }) {
    for (const { kind, config, file: home } of declared) {
      if (home !== file) continue;
      const temperature = fieldOf(config, 'temperature');
      const degrees = temperature === undefined ? null : numberOf(temperature);
      if (temperature !== undefined && degrees !== null && (degrees < 0 || degrees > 2))
        yield {
          node: temperature,
          message: `temperature must be a number from 0 to 2, got ${degrees}`,
          suggestion: 'write temperature = 0.7',
        };
      const maxTokens = fieldOf(config, 'max_tokens');
      const tokens = maxTokens === undefined ? null : numberOf(maxTokens);
      if (maxTokens !== undefined && tokens !== null && tokens < 1)
        yield {
          node: maxTokens,
          message: `max_tokens must be a positive integer, got ${tokens}`,
          suggestion: 'write max_tokens = 500',
        };
      const choice = fieldOf(config, 'tool_choice');
      const chosen = stringValue(choice);
      if (
        kind === 'agent' &&
        choice !== undefined &&
        chosen !== null &&
        !['auto', 'required', 'none'].includes(chosen)
      )
        yield {
          node: choice,
          severity: 'warning',
          message: `tool_choice "${chosen}" is not read`,
          suggestion: 'use "auto", "required", "none" or { name = "a_tool" }',
        };
      yield* chatInBackground(config);
      const endpoint = fieldOf(config, 'endpoint');
      const address = stringValue(endpoint);
      const type = stringValue(fieldOf(config, 'type'));
      // SageMaker's endpoints have names.
      const addressed = kind === 'model' && type !== 'sagemaker';
      if (addressed && endpoint !== undefined && address !== null && !/^https?:\/\//.test(address))
        yield {
          node: endpoint,
          message: 'endpoint must be an http or https address',
          suggestion: 'write endpoint = "https://…"',
        };
      if (kind === 'model' && type === 'http' && endpoint === undefined && config !== null)
        yield {
          node: config,
          message: 'A model of the type "http" needs an endpoint',
          suggestion: 'add endpoint = "https://…"',
        };
    }
  },
};

/** `background = true` without the one API that has it. */
function* chatInBackground(config: TableConstructorExpression | null): Generator<Finding, void, undefined> {
  const background = fieldOf(config, 'background');
  if (background?.type !== 'BooleanLiteral' || !background.value) return;
  if (!wantsResponses(config))
    yield {
      node: background,
      message: 'background = true needs the API that OpenAI calls Responses',
      suggestion: 'add model_type = "responses"',
    };
}

/** `Model {type = "htpp"}`. */
export const unknownModelType: Rule = {
  code: 'unknown_model_type',
  severity: 'error',
  *check(file, { declared }) {
    for (const { kind, config, file: home } of declared) {
      if (kind !== 'model' || home !== file) continue;
      const node = fieldOf(config, 'type');
      const type = stringValue(node);
      if (node === undefined || type === null || modelTypes.includes(type)) continue;
      const meant = closest(type, modelTypes);
      yield {
        node,
        message: `Models of the type "${type}" are not known`,
        suggestion: meant === null ? `the types are ${modelTypes.join(', ')}` : `did you mean "${meant}"?`,
      };
    }
  },
};

/** `provider = "openai.websearch"`, or settings that the provider's tool doesn't have. */
export const unknownProviderTool: Rule = {
  code: 'unknown_provider_tool',
  severity: 'error',
  *check(file, program) {
    for (const { source, node, config } of providedIn(file, program)) {
      const missing = providerToolProblem(source, {});
      if (missing !== null) {
        const meant = closest(source, providerToolSources)?.replace('provider.', '');
        const suggestion = meant === undefined ? 'name one that is there' : `did you mean "${meant}"?`;
        yield { node, message: missing, suggestion };
        continue;
      }
      const args = fieldOf(config, 'args');
      if (args?.type !== 'TableConstructorExpression') continue;
      for (const { key, node: at } of namedFields(args)) {
        const message = providerToolProblem(source, { [key]: null });
        const meant = closest(key, argumentsOf(source) ?? []);
        const suggestion = meant === null ? `leave ${key} out` : `did you mean ${meant}?`;
        if (message !== null) yield { node: at, message, suggestion };
      }
    }
  },
};

/** An agent whose model can't have a tool: another provider runs it, or it is there by another API alone. */
export const wrongProvider: Rule = {
  code: 'wrong_provider',
  severity: 'error',
  *check(file, program) {
    for (const agent of program.declared) {
      if (agent.kind !== 'agent' || agent.file !== file) continue;
      const providers = writtenProviders(agent, program);
      for (const { item, tool } of providedTo(agent, program)) {
        const runner = runnerOf(tool.source);
        const name = tool.source.replace('provider.', '');
        if (!providers.some((each) => each === null || each === runner))
          yield {
            node: item,
            message: `${runner} runs ${name} for its own models alone, and the agent's model is of ${providers.join(', ')}`,
            suggestion: `give the agent a model of ${runner}, or take the tool away`,
          };
        else if (needsResponses(tool.source) && !wantsResponses(agent.config))
          yield {
            node: item,
            message: `${name} needs the API that OpenAI calls Responses`,
            suggestion: 'add model_type = "responses" to the agent',
          };
      }
    }
  },
};

/** A tool that a provider runs, as a file has it. */
interface ProvidedTool {
  /** `provider.openai.web_search`. */
  source: string;
  /** Where its provider is named. */
  node: Expression;
  config: TableConstructorExpression;
}

/** All of a file: those that are declared, and those that are written into lists of tools. */
function providedIn(file: SourceFile, program: AnalysedProgram): ProvidedTool[] {
  const declared = program.declared.flatMap(({ kind, config, file: home }) =>
    kind === 'tool' && home === file ? [config] : [],
  );
  const listed = program.declared
    .filter(({ kind, file: home }) => kind === 'agent' && home === file)
    .flatMap(itemsOf)
    .map((item) => (item.type === 'TableConstructorExpression' ? item : null));
  return [...declared, ...listed].flatMap((config) => providedBy(config) ?? []);
}

/** Those of an agent's own list, each with its place there. */
function providedTo(agent: Declared, program: AnalysedProgram): { item: Expression; tool: ProvidedTool }[] {
  const { file, call } = agent;
  if (takesAllTools(agent))
    return program.declared.flatMap(({ kind, config }) => {
      const tool = kind === 'tool' ? providedBy(config) : null;
      return tool === null ? [] : [{ item: call.node, tool }];
    });
  return itemsOf(agent).flatMap((item) => {
    const value = valueOf(item, file, program);
    const named = stringValue(item);
    const declared = value?.kind === 'declared' ? value.declared : declaredAs('tool', named, program);
    const own = item.type === 'TableConstructorExpression' ? item : null;
    const tool = providedBy(own ?? (declared?.kind === 'tool' ? declared.config : null));
    return tool === null ? [] : [{ item, tool }];
  });
}

function itemsOf({ config }: Declared): Expression[] {
  return ['tools', 'toolsets', 'inline_tools'].flatMap((key) => {
    const list = fieldOf(config, key);
    return list?.type === 'TableConstructorExpression' ? listItems(list) : [];
  });
}

function providedBy(config: TableConstructorExpression | null): ProvidedTool | null {
  const node = fieldOf(config, 'provider');
  const written = stringValue(node);
  if (config === null || node === undefined || written === null) return null;
  return { source: providerSource(written), node, config };
}

/** Whose models an agent asks, as far as the files write it; null stands for what only a run knows. */
function writtenProviders({ config }: Declared, { files }: AnalysedProgram): (string | null)[] {
  const default_ = (name: string): string | null => {
    const calls = files.flatMap((file) => file.calls.filter(({ callee }) => callee === name));
    return calls.length === 1 ? stringValue(calls[0]?.args[0]) : null;
  };
  const provider = fieldOf(config, 'provider');
  if (provider !== undefined) return [nameOrNull(stringValue(provider))];
  const model = fieldOf(config, 'model');
  const models = model === undefined ? [default_('default_model')] : modelsIn(model);
  return models.map((written) => {
    if (written === null) return null;
    const name = modelName(written);
    return (name.includes('/') ? null : nameOrNull(default_('default_provider'))) ?? providerOfModel(name);
  });
}

/** `"a"`, `{"a", "b"}`, `{name = "a"}`. */
function modelsIn(model: Expression): (string | null)[] {
  if (model.type !== 'TableConstructorExpression') return [stringValue(model)];
  const items = listItems(model);
  return items.length > 0 ? items.map(stringValue) : [stringValue(fieldOf(model, 'name'))];
}

function nameOrNull(name: string | null): string | null {
  return name === null ? null : providerName(name);
}

/** Whether an agent or a model is asked by the API that OpenAI calls Responses; what is computed may say so. */
function wantsResponses(config: TableConstructorExpression | null): boolean {
  const tables = [config, fieldOf(config, 'model'), fieldOf(config, 'model_settings')];
  return tables.some((table) => {
    const type = table?.type === 'TableConstructorExpression' ? fieldOf(table, 'model_type') : undefined;
    return type !== undefined && (stringValue(type) ?? 'responses') === 'responses';
  });
}
