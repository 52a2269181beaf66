import type { Node, Statement } from '../../src/validation/syntax/ast.js';
import { parse } from '../../src/validation/syntax/parse.js';
import { toSourceFile, type SourceFile } from '../../src/validation/syntax/source-file.js';

/** Steps are told what was reached by one that fails, which is how a step can say anything. */
const telling = 'what was reached is told';

/** Uses of names of the language in a procedure, each with the statement around it. */
export interface Marked {
  /** The procedure, which notes the statements that it comes to; its lines are those of the original. */
  text: string;
  /** By the number that is noted: the names that the statement uses, such as `Human`, `Human.approve` and `.usage`. */
  names: Map<number, string[]>;
}

/** Makes a procedure note what it comes to, and tell it at the end of each scenario. */
export function markUses(name: string, text: string): Marked {
  const parsed = parse(text);
  if ('problem' in parsed) throw new Error(`${name}: ${parsed.problem.message}`);
  const file = toSourceFile(name, parsed);
  const statements = new Map<Statement, string[]>();
  for (const node of file.nodes)
    for (const used of usedBy(node, file)) {
      const statement = statementAround(node, file);
      statements.set(statement, [...(statements.get(statement) ?? []), used]);
    }
  const lines = text.split('\n');
  const names = new Map<number, string[]>();
  const inOrder = [...statements].map(([statement, used], index) => ({ statement, used, index }));
  for (const { used, index } of inOrder) names.set(index, used);
  // From behind, so that places before stay where they are.
  for (const { statement, index } of inOrder.toSorted(
    (a, b) => placeOf(b.statement) - placeOf(a.statement),
  )) {
    const { line, column } = statement.loc?.start ?? { line: 1, column: 0 };
    const before = lines[line - 1] ?? '';
    lines[line - 1] = `${before.slice(0, column)}reached[${index}] = true; ${before.slice(column)}`;
  }
  return { text: `${prologue}${withLastSteps(lines.join('\n'))}`, names };
}

/** The numbers that a result of `test` tells of. */
export function reachedIn(messages: readonly string[]): Set<number> {
  const told = messages.flatMap((message) => /reached: ([\d ]+)/.exec(message)?.[1]?.split(' ') ?? []);
  return new Set(told.filter((each) => each !== '').map(Number));
}

const prologue = [
  'reached = {};',
  `Step("${telling}", function()`,
  'local told = {}',
  'for number in pairs(reached) do told[#told + 1] = tostring(number) end',
  'error("reached: " .. table.concat(told, " "), 0)',
  'end); ',
].join(' ');

function withLastSteps(text: string): string {
  return text.replaceAll(/(\n {2}Scenario[^\n]*\n(?: {4}[^\n]+\n)+)/g, `$1    And ${telling}\n`);
}

function usedBy(node: Node, { scopes }: SourceFile): string[] {
  if (node.type === 'MemberExpression') {
    const { base, identifier } = node;
    const isGlobal = base.type === 'Identifier' && scopes.localOf(base) === null;
    return [`.${identifier.name}`, ...(isGlobal ? [`${base.name}.${identifier.name}`] : [])];
  }
  return scopes.reads.some((use) => use.node === node) && node.type === 'Identifier' ? [node.name] : [];
}

/** The innermost statement of a block. */
function statementAround(node: Node, { parents }: SourceFile): Statement {
  for (let at = node; ;) {
    const up = parents.get(at);
    if (up === undefined) throw new Error(`a ${node.type} stands outside of all statements`);
    if ('body' in up && (up.body as Node[]).includes(at)) return at as Statement;
    at = up;
  }
}

function placeOf({ loc }: Statement): number {
  return (loc?.start.line ?? 0) * 10_000 + (loc?.start.column ?? 0);
}
