import type { AnalysedProgram } from '../program/analysed-program.js';
import { fieldOf, listItems, stringValue, type Expression } from '../syntax/ast.js';
import { kindOfCallee, type DeclaredKind } from '../program/declared.js';
import { closest } from '../program/did-you-mean.js';
import type { Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';

interface Reference {
  kind: DeclaredKind;
  node: Expression;
  name: string;
  /** It only asks whether the tool was called, which one that isn't there never was. */
  isQuestion?: true;
}

/** Tools that are there without a declaration, once their module is required, or by what others provide. */
const builtInTools = ['done', 'log'];

/** An agent, tool, model or procedure that is named and declared nowhere. */
export const undeclaredReference: Rule = {
  code: 'undeclared_reference',
  severity: 'error',
  *check(file, program) {
    for (const { kind, node, name, isQuestion = false } of references(file, program)) {
      const known = program.declared.flatMap((each) =>
        each.kind === kind && each.name !== null ? [each.name] : [],
      );
      if (
        known.includes(name) ||
        (kind === 'tool' && (builtInTools.includes(name) || hasForeignTools(program)))
      )
        continue;
      // A global may hold what a module or another call gave.
      if (program.globals.has(name) && !program.declared.some((each) => each.name === name)) continue;
      const meant = closest(name, known);
      yield {
        node,
        ...(isQuestion && meant === null ? { severity: 'warning' } : {}),
        message: `There is no ${kind} "${name}"`,
        suggestion:
          meant !== null
            ? `did you mean "${meant}"?`
            : known.length > 0
              ? `declared are ${known.join(', ')}${elsewhere(kind, name)}`
              : `declare it: ${name} = ${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} {…}${elsewhere(kind, name)}`,
      };
    }
  },
};

function elsewhere(kind: DeclaredKind, name: string): string {
  return kind === 'tool'
    ? `; one of the worker is "host.${name}", and all of an MCP server "mcp.${name}"`
    : '';
}

function references(file: SourceFile, { declared }: AnalysedProgram): Reference[] {
  const byName = file.calls.flatMap(({ callee, args, node, isCurried, isBare }): Reference[] => {
    const kind = kindOfCallee(callee);
    const [first] = args;
    const name = stringValue(first);
    if (first === undefined || name === null) return [];
    if (/^Tool\.(called|call_count|last_call|last_result)$/.test(callee))
      return [{ kind: 'tool', node: first, name, isQuestion: true }];
    if (/^Tool\.(reset|get)$/.test(callee)) return [{ kind: 'tool', node: first, name }];
    if (kind === null || isBare || (args.length > 1 && !isCurried)) return [];
    return declared.some(({ call }) => call.node === node) ? [] : [{ kind, node: first, name }];
  });
  const lists = file.calls.flatMap(({ callee, args }) => {
    const isAgent =
      kindOfCallee(callee) === 'agent' ||
      declared.some(
        ({ kind, name }) =>
          kind === 'agent' && name !== null && (callee === name || callee === `${name}.turn`),
      );
    return isAgent ? args : [];
  });
  const named = lists.flatMap((config): Reference[] => {
    const list = config.type === 'TableConstructorExpression' ? fieldOf(config, 'tools') : undefined;
    if (list?.type !== 'TableConstructorExpression') return [];
    return listItems(list).flatMap((node) => {
      const name = stringValue(node);
      return name === null || name.includes('.') ? [] : [{ kind: 'tool', node, name }];
    });
  });
  return [...byName, ...named];
}

/** Tools of a toolset, a plugin or a server aren't told in the file. */
function hasForeignTools({ files, declared }: AnalysedProgram): boolean {
  return (
    files.some(({ calls }) => calls.some(({ callee }) => /^(toolset|Toolset|mcp)\b/.test(callee))) ||
    declared.some(({ config, kind }) =>
      kind === 'tool'
        ? fieldOf(config, 'use') !== undefined
        : kind === 'agent' && fieldOf(config, 'toolsets', 'inline_tools', 'skills') !== undefined,
    )
  );
}
