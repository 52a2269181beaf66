import { providerSource } from '../../contract/models/provider-tool.js';
import type { AnalysedProgram } from './analysed-program.js';
import {
  fieldOf,
  listItems,
  textOf,
  type Expression,
  type TableConstructorExpression,
} from '../syntax/ast.js';
import { takesAllTools, type Declared } from './declared.js';
import { declaredAs, valueOf } from '../syntax/value-of.js';
import type { SourceFile } from '../syntax/source-file.js';

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
    const named = textOf(item);
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
  const written = textOf(node);
  if (config === null || node === undefined || written === null) return null;
  return { source: providerSource(written), node, config };
}
