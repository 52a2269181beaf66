import type { Node, Statement } from '../syntax/ast.js';
import type { Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';

/** Statements that nothing leads to: after `error(…)`, `goto`, `break`, or an `if` whose ways all leave. */
export const unreachableCode: Rule = {
  code: 'unreachable_code',
  severity: 'warning',
  *check(file, { globals }) {
    const known = new Map<Statement, boolean>();
    const neverReturns = (statement: Statement): boolean => leaves(statement, file, globals, known);
    for (const node of file.nodes) {
      const body = bodyOf(node);
      const end = body.findIndex(neverReturns);
      const next = end < 0 ? undefined : body[end + 1];
      // A label can be reached from elsewhere.
      if (next === undefined || next.type === 'LabelStatement') continue;
      yield {
        node: next,
        message: 'Nothing leads here: what stands before always leaves',
        suggestion: 'remove it, or put a condition before',
      };
    }
  },
};

function bodyOf(node: Node): Statement[] {
  return 'body' in node && Array.isArray(node.body) ? node.body : [];
}

/** @param known of statements that were looked at: those within others are asked for again */
function leaves(
  statement: Statement,
  file: SourceFile,
  globals: ReadonlySet<string>,
  known: Map<Statement, boolean>,
): boolean {
  const answer = known.get(statement) ?? leavesItself(statement, file, globals, known);
  known.set(statement, answer);
  return answer;
}

function leavesItself(
  statement: Statement,
  file: SourceFile,
  globals: ReadonlySet<string>,
  known: Map<Statement, boolean>,
): boolean {
  const leavesIn = (body: Statement[]): boolean => body.some((each) => leaves(each, file, globals, known));
  if (statement.type === 'CallStatement')
    return !globals.has('error') && file.callAt.get(statement.expression)?.callee === 'error';
  if (statement.type === 'DoStatement') return leavesIn(statement.body);
  if (statement.type === 'IfStatement')
    return (
      statement.clauses.at(-1)?.type === 'ElseClause' && statement.clauses.every(({ body }) => leavesIn(body))
    );
  return ['ReturnStatement', 'BreakStatement', 'GotoStatement'].includes(statement.type);
}
