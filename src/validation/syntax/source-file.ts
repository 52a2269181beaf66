import {
  childrenOf,
  isCall,
  stringValue,
  type CallExpression,
  type Chunk,
  type Expression,
  type Node,
  type StringCallExpression,
  type TableCallExpression,
} from './ast.js';
import { analyseScopes, type Scopes } from './scopes.js';

/** A parsed file, with what all rules need of it. */
export interface SourceFile {
  name: string;
  chunk: Chunk;
  parents: ReadonlyMap<Node, Node>;
  /** All nodes, a parent before its children. */
  nodes: readonly Node[];
  scopes: Scopes;
  calls: readonly Call[];
  callAt: ReadonlyMap<Node, Call>;
  /** What is assigned to members of tables, by the member's name: `function M.f() … end`, `M.f = …`. */
  members: ReadonlyMap<string, readonly MemberValue[]>;
  /** Where the names of constants stand that are declared: "line:column". */
  constants: ReadonlySet<string>;
}

export function toSourceFile(
  name: string,
  { chunk, constants }: { chunk: Chunk; constants: ReadonlySet<string> },
): SourceFile {
  const parents = new Map<Node, Node>();
  const nodes: Node[] = [];
  const visit = (node: Node): void => {
    nodes.push(node);
    for (const child of childrenOf(node)) {
      parents.set(child, node);
      visit(child);
    }
  };
  visit(chunk);
  const scopes = analyseScopes(chunk);
  const calls = readCalls(nodes, parents, scopes);
  const callAt = new Map(calls.map((call) => [call.node, call]));
  return { name, chunk, parents, nodes, scopes, calls, callAt, members: readMembers(nodes), constants };
}

interface MemberValue {
  /** The table: `M`. */
  base: Expression;
  value: Expression;
}

/** What the nodes of a file assign to members of tables, by the member's name. */
function readMembers(nodes: readonly Node[]): Map<string, MemberValue[]> {
  const members = new Map<string, MemberValue[]>();
  const add = (target: Node | null, value: Expression | undefined): void => {
    if (target?.type !== 'MemberExpression' || value === undefined) return;
    const { name } = target.identifier;
    members.set(name, [...(members.get(name) ?? []), { base: target.base, value }]);
  };
  for (const node of nodes)
    if (node.type === 'FunctionDeclaration') add(node.identifier, node);
    else if (node.type === 'AssignmentStatement')
      node.variables.forEach((target, i) => add(target, node.init[i]));
  return members;
}

export type CallNode = CallExpression | TableCallExpression | StringCallExpression;

/** A call of a global function, or of a member of one: `Agent {…}`, `Human.approve(…)`, `Log:info(…)`. */
export interface Call {
  node: CallNode;
  /** `Agent`, `Human.approve`. */
  callee: string;
  indexer: '.' | ':' | null;
  /** `Agent "name" {…}` and `Agent("name")({…})` count as `Agent("name", {…})`. */
  args: readonly Expression[];
  /** Written in two calls, of which the first gives the name. */
  isCurried: boolean;
  /** Written in two calls, without parentheses: so are declarations, and nothing else. */
  isBare: boolean;
}

/** Functions that take a name alone and give a function that takes the rest. */
const curried =
  /^(Procedure|procedure|Agent|agent|Model|model|Module|Signature|LM|Tool|tool|Toolset|toolset|Task|Hitl|hitl)$/;

function readCalls(nodes: readonly Node[], parents: ReadonlyMap<Node, Node>, scopes: Scopes): Call[] {
  return nodes.flatMap((node) => {
    if (!isCallNode(node) || isFirstOfTwo(node, parents, scopes)) return [];
    const inner = isCallNode(node.base) ? node.base : null;
    const first = inner !== null && isFirstOfTwo(inner, parents, scopes) ? inner : null;
    const called = calleeOf((first ?? node).base, scopes);
    if (called === null) return [];
    const args = [...(first === null ? [] : argumentsOf(first)), ...argumentsOf(node)];
    const isBare = first?.type === 'StringCallExpression' && node.type !== 'CallExpression';
    return [{ node, ...called, args, isCurried: first !== null, isBare }];
  });
}

export function argumentsOf(node: CallNode): readonly Expression[] {
  if (node.type === 'CallExpression') return node.arguments;
  return [node.type === 'TableCallExpression' ? node.arguments : node.argument];
}

export function isCallNode(node: Node): node is CallNode {
  return isCall(node);
}

function isFirstOfTwo(node: CallNode, parents: ReadonlyMap<Node, Node>, scopes: Scopes): boolean {
  const up = parents.get(node);
  const args = argumentsOf(node);
  return (
    up !== undefined &&
    isCallNode(up) &&
    up.base === node &&
    curried.test(calleeOf(node.base, scopes)?.callee ?? '') &&
    args.length === 1 &&
    stringValue(args[0]) !== null
  );
}

/** Of a global function or a member of one; null where it is anything else. */
export function calleeOf(base: Expression, scopes: Scopes): Pick<Call, 'callee' | 'indexer'> | null {
  if (base.type === 'Identifier')
    return scopes.localOf(base) === null ? { callee: base.name, indexer: null } : null;
  if (base.type !== 'MemberExpression' || base.base.type !== 'Identifier') return null;
  if (scopes.localOf(base.base) !== null) return null;
  return { callee: `${base.base.name}.${base.identifier.name}`, indexer: base.indexer };
}
