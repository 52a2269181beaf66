import type { AnalysedProgram } from '../program/analysed-program.js';
import { isWithin, namedFields, stringValue, type TableField, type Node } from '../syntax/ast.js';
import { closest } from '../program/did-you-mean.js';
import type { Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';

/** What can be mocked although no file names it. */
const builtIn = ['http_client', 'done', 'log'];

/** What a mock of an agent has. */
const turnKeys = ['message', 'tool_calls', 'data', 'usage'];

/** A mock of something that is nowhere named: it stands in for nothing. */
export const unknownMock: Rule = {
  code: 'unknown_mock',
  severity: 'warning',
  *check(file, program) {
    const tables = mockTables(file);
    if (tables.length === 0 || hasComposedNames(program)) return;
    const named = namesBeside(tables, program);
    const mocks = tables.flatMap(namedFields);
    const only = mockOfOnlyAgent(mocks, program);
    for (const { key, node } of mocks) {
      if (builtIn.includes(key) || named.has(key) || key === only) continue;
      const known = program.declared.flatMap(({ kind, name }) =>
        name === null || kind === 'procedure' ? [] : [name],
      );
      const meant = closest(key, known);
      yield {
        node,
        message: `Nothing is called ${key}: this mock stands in for nothing`,
        suggestion:
          meant !== null
            ? `did you mean ${meant}?`
            : known.length > 0
              ? `there are ${known.join(', ')}`
              : 'name an agent, a tool or a model',
      };
    }
  },
};

/** A file's only mock of a turn stands in for its only agent, whatever that is called. */
function mockOfOnlyAgent(mocks: readonly TableField[], { declared }: AnalysedProgram): string | null {
  const [only, ...others] = mocks.filter(
    ({ value }) =>
      value.type === 'TableConstructorExpression' &&
      namedFields(value).some(({ key }) => turnKeys.includes(key)),
  );
  const agents = declared.filter(({ kind }) => kind === 'agent');
  return only !== undefined && others.length === 0 && agents.length === 1 ? only.key : null;
}

type Table = ReturnType<typeof mockTables>[number];

function mockTables({ calls }: SourceFile) {
  return calls.flatMap(({ callee, args: [table] }) =>
    /^[Mm]ocks$/.test(callee) && table?.type === 'TableConstructorExpression' ? [table] : [],
  );
}

/** Tools of a toolset, a plugin or a server have names that are made elsewhere. */
function hasComposedNames({ files }: AnalysedProgram): boolean {
  return files.some(
    ({ calls, nodes }) =>
      calls.some(({ callee }) => /^(toolset|Toolset|mcp)\b/.test(callee)) ||
      nodes.some((node) => node.type === 'TableKeyString' && /^(use|inline_tools)$/.test(node.key.name)),
  );
}

/** Every name, key and text of the files outside of the mocks. */
function namesBeside(tables: readonly Table[], { files }: AnalysedProgram): Set<string> {
  const names = new Set<string>();
  for (const { nodes, parents } of files)
    for (const node of nodes) {
      const name = nameOf(node);
      if (name !== null && !tables.some((table) => isWithin(node, table, parents))) names.add(name);
    }
  return names;
}

function nameOf(node: Node): string | null {
  return node.type === 'Identifier' ? node.name : stringValue(node);
}
