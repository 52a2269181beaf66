import { codeNames, type CodeReview, type CodeUse } from '../../contract/tools/code-review.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import { lineOf, namedFields, within, type Expression, type Node } from '../syntax/ast.js';
import { argumentsOf, isCallNode } from '../syntax/source-file.js';
import { closest } from './did-you-mean.js';
import { scalarOf } from '../syntax/literal-kind.js';
import { parse } from '../syntax/parse.js';
import { analyseScopes } from '../syntax/scopes.js';

/** Of what a model writes at once: more is no procedure over tools. */
const longest = 50_000;

/**
 * Looks at the body of a function that a model has written over its tools: what it names must be a tool, a variable of its own, or one of
 * `codeNames`. There is no other way to a tool, for its environment has nothing else.
 * @param tools as variables
 */
export function reviewCode(text: string, tools: readonly string[]): Omit<CodeReview, 'graph'> {
  const refuse = (line: number, message: string): Omit<CodeReview, 'graph'> => ({
    problems: [{ line, message }],
    uses: [],
  });
  if (text.length > longest) return refuse(1, `${text.length} characters are more than ${longest}`);
  const parsed = parse(text);
  if ('problem' in parsed) return refuse(parsed.problem.line, parsed.problem.message);
  const { chunk } = parsed;
  const scopes = analyseScopes(chunk);
  const known = [...tools, ...codeNames];
  const problems = [
    ...scopes.locals
      .filter(({ name }) => name === '_ENV')
      .map(({ declared }) => ({ line: lineOf(declared), message: '_ENV can not be changed' })),
    ...scopes.writes.map(({ node }) => ({
      line: lineOf(node),
      message: `${node.name} is no variable of its own: write local ${node.name}`,
    })),
    ...scopes.reads
      .filter(({ node }) => !known.includes(node.name))
      .map(({ node }) => ({ line: lineOf(node), message: unknown(node.name, known, tools) })),
  ];
  const nodes = chunk.body.flatMap((statement) => [...within(statement)]);
  if (!nodes.some(({ type }) => type === 'ReturnStatement'))
    problems.push({ line: 1, message: 'it gives nothing: end it with return' });
  const calls = new Map<Node, CodeUse['args']>();
  for (const node of nodes) if (isCallNode(node)) calls.set(node.base, literalArguments(argumentsOf(node)));
  const uses = scopes.reads
    .filter(({ node }) => tools.includes(node.name))
    .map(({ node }) => ({ tool: node.name, line: lineOf(node), args: calls.get(node) ?? null }));
  return { problems, uses };
}

function unknown(name: string, known: readonly string[], tools: readonly string[]): string {
  const meant = closest(name, known);
  return `there is no ${name}${meant === null ? `; the tools are ${tools.join(', ')}` : `; is ${meant} meant?`}`;
}

/** A table of what is written out; null where something is computed. */
function literalArguments([first, ...rest]: readonly Expression[]): JsonObject | null {
  if (rest.length > 0) return null;
  if (first === undefined) return {};
  const value = literal(first);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}

function literal(node: Expression): JsonValue | undefined {
  if (node.type !== 'TableConstructorExpression') return scalarOf(node);
  const fields = namedFields(node);
  if (fields.length !== node.fields.length) return undefined;
  const table: JsonObject = {};
  for (const { key, value } of fields) {
    const found = literal(value);
    if (found === undefined) return undefined;
    table[key] = found;
  }
  return table;
}
