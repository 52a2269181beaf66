import { providerSource } from '../../contract/models/provider-tool.js';
import { providerName, providerOfModel } from '../../contract/models/provider-of-model.js';
import type { AnalysedProgram } from './analysed-program.js';
import {
  fieldOf,
  listItems,
  stringValue,
  type Expression,
  type TableConstructorExpression,
} from '../syntax/ast.js';
import { takesAllTools, type Declared } from './declared.js';
import { declaredAs, valueOf } from '../syntax/value-of.js';
import type { SourceFile } from '../syntax/source-file.js';
import { modelName } from '../../lua-bridge/index.js';

/** A tool that a provider runs, as a file has it. */
export interface ProvidedTool {
  /** `provider.openai.web_search`. */
  source: string;
  /** Where its provider is named. */
  node: Expression;
  config: TableConstructorExpression;
}

/** All of a file: those that are declared, and those that are written into lists of tools. */
export function providedIn(file: SourceFile, program: AnalysedProgram): ProvidedTool[] {
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
export function providedTo(
  agent: Declared,
  program: AnalysedProgram,
): { item: Expression; tool: ProvidedTool }[] {
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
export function writtenProviders({ config }: Declared, { files }: AnalysedProgram): (string | null)[] {
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
export function wantsResponses(config: TableConstructorExpression | null): boolean {
  const tables = [config, fieldOf(config, 'model'), fieldOf(config, 'model_settings')];
  return tables.some((table) => {
    const type = table?.type === 'TableConstructorExpression' ? fieldOf(table, 'model_type') : undefined;
    return type !== undefined && (stringValue(type) ?? 'responses') === 'responses';
  });
}
