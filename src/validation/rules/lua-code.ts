/** Rules about Lua alone: loops, reachability, variables, `string.format`. */
import {
  isCall,
  lineOf,
  namedFields,
  type Node,
  type Statement,
  stringValue,
  within,
} from '../syntax/ast.js';
import type { Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';
import { closest } from '../program/did-you-mean.js';

/** `while true do` that neither ends nor calls anything: it can only use up the instructions of the run. */
export const endlessLoop: Rule = {
  code: 'endless_loop',
  severity: 'warning',
  *check(file) {
    for (const node of file.nodes) {
      if (node.type !== 'WhileStatement' && node.type !== 'RepeatStatement') continue;
      const always = node.type === 'WhileStatement' ? isTrue(node.condition) : isFalse(node.condition);
      if (!always || node.body.some((statement) => canLeave(statement, true))) continue;
      yield { node, message: 'This loop never ends', suggestion: 'add a condition, or a break' };
    }
  },
};

function isTrue(node: Node): boolean {
  return node.type === 'BooleanLiteral' ? node.value : node.type === 'NumericLiteral';
}

function isFalse(node: Node): boolean {
  return node.type === 'NilLiteral' || (node.type === 'BooleanLiteral' && !node.value);
}

/** Whether something in it can leave the loop. A call may raise an error, wait, or yield. */
function canLeave(statement: Node, isOwnBreak: boolean): boolean {
  for (const node of within(statement, false)) {
    if (node.type === 'ReturnStatement' || node.type === 'GotoStatement' || isCall(node)) return true;
    if (isOwnBreak && node.type === 'BreakStatement') return true;
  }
  return false;
}

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

const directive = /%(?:%|[-+ #0]*\d*(?:\.\d*)?([a-zA-Z]))/g;
const knownDirectives = 'diuoxXcaAeEfFgGsqp';

/** `string.format` with fewer values than its text asks for, or a directive that it doesn't know. */
export const formatArguments: Rule = {
  code: 'format_arguments',
  severity: 'error',
  *check(file, { globals }) {
    for (const { callee, args, node } of file.calls) {
      const text = callee === 'string.format' && !globals.has('string') ? stringValue(args[0]) : null;
      if (text === null) continue;
      const letters = [...text.matchAll(directive)].flatMap(([, letter]) => letter ?? []);
      const strange = letters.find((letter) => !knownDirectives.includes(letter));
      if (strange !== undefined) {
        yield {
          node,
          message: `string.format doesn't know %${strange}`,
          suggestion: 'write %% for a percent sign',
        };
        continue;
      }
      const last = args.at(-1);
      if (last !== undefined && args.length > 1 && (isCall(last) || last.type === 'VarargLiteral')) continue;
      if (args.length - 1 < letters.length)
        yield {
          node,
          message: `The text asks for ${letters.length} value${letters.length === 1 ? '' : 's'}, and gets ${args.length - 1}`,
          suggestion: 'give a value for each %',
        };
      else if (args.length - 1 > letters.length)
        yield {
          node,
          severity: 'warning',
          message: `The text asks for ${letters.length} value${letters.length === 1 ? '' : 's'}, and gets ${args.length - 1}: the rest is not shown`,
          suggestion: 'add a %s for each value',
        };
    }
  },
};

/** A local that is never read. */
export const unusedLocal: Rule = {
  code: 'unused_local',
  severity: 'info',
  *check(file) {
    for (const { name, kind, declared, reads } of file.scopes.locals) {
      if (reads.length > 0 || name.startsWith('_') || (kind !== 'local' && kind !== 'function')) continue;
      yield { node: declared, message: `${name} is never read`, suggestion: 'remove it, or call it _' };
    }
  },
};

/** A global that a function sets and nobody reads, with nearly the name of a local: a misspelt assignment. */
export const accidentalGlobal: Rule = {
  code: 'accidental_global',
  severity: 'info',
  *check(file, { files }) {
    const read = new Set(files.flatMap(({ scopes }) => scopes.reads.map(({ node }) => node.name)));
    for (const { node, owner } of file.scopes.writes) {
      if (owner === null || read.has(node.name) || node.name.length < 3) continue;
      const meant = closest(node.name, file.scopes.visibleAt(node));
      if (meant !== null)
        yield {
          node,
          message: `This sets a global ${node.name}, which nothing reads`,
          suggestion: `did you mean ${meant}?`,
        };
    }
  },
};

/** A key that a table has twice: the first value is lost. */
export const duplicateKey: Rule = {
  code: 'duplicate_key',
  severity: 'warning',
  *check(file) {
    for (const table of file.nodes) {
      if (table.type !== 'TableConstructorExpression') continue;
      const seen = new Map<string, number>();
      for (const { key, node } of namedFields(table)) {
        const line = seen.get(key);
        if (line !== undefined)
          yield {
            node,
            message: `The table has ${key} already in line ${line}: that value is lost`,
            suggestion: 'leave one of them out',
          };
        seen.set(key, lineOf(node));
      }
    }
  },
};
