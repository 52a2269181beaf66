import {
  childrenOf,
  type Chunk,
  type FunctionDeclaration,
  type Identifier,
  type Node,
  type Statement,
} from './ast.js';

/** A local variable: declared once, read and assigned anywhere in its scope. */
export interface Local {
  name: string;
  kind: 'local' | 'parameter' | 'loop' | 'function';
  declared: Identifier;
  /** The function that it belongs to; null at the top of the file. A use in another one is an upvalue. */
  owner: FunctionDeclaration | null;
  reads: Use[];
  writes: Use[];
}

interface Use {
  node: Identifier;
  /** The innermost function around the use. */
  owner: FunctionDeclaration | null;
}

export interface Scopes {
  locals: readonly Local[];
  /** Names that no local stands for. */
  reads: readonly Use[];
  writes: readonly Use[];
  /** The local that a name stands for; null: a global, or no variable at all. */
  localOf(node: Node): Local | null;
  /** Names that could be seen where the node stands. */
  visibleAt(node: Identifier): readonly string[];
}

type Block = Map<string, Local>;

/** Finds out for each name of a file which variable it is. */
export function analyseScopes(chunk: Chunk): Scopes {
  const walker = new Walker();
  walker.block(chunk.body);
  return {
    locals: walker.locals,
    reads: walker.reads,
    writes: walker.writes,
    localOf: (node) => walker.bound.get(node) ?? null,
    visibleAt: (node) => walker.visible.get(node) ?? [],
  };
}

class Walker {
  readonly locals: Local[] = [];
  readonly reads: Use[] = [];
  readonly writes: Use[] = [];
  readonly bound = new Map<Node, Local>();
  readonly visible = new Map<Node, readonly string[]>();
  private readonly blocks: Block[] = [new Map<string, Local>()];
  private owner: FunctionDeclaration | null = null;

  block(
    body: readonly Statement[],
    before: () => void = () => undefined,
    after: () => void = () => undefined,
  ): void {
    this.blocks.push(new Map());
    before();
    for (const statement of body) this.visit(statement);
    after();
    this.blocks.pop();
  }

  private declare(node: Identifier, kind: Local['kind']): void {
    const local: Local = { name: node.name, kind, declared: node, owner: this.owner, reads: [], writes: [] };
    this.locals.push(local);
    this.bound.set(node, local);
    this.blocks.at(-1)?.set(node.name, local);
  }

  private use(node: Identifier, kind: 'reads' | 'writes'): void {
    const local = this.blocks.findLast((block) => block.has(node.name))?.get(node.name);
    const use = { node, owner: this.owner };
    if (local === undefined) {
      this[kind].push(use);
      this.visible.set(node, [...new Set(this.blocks.flatMap((block) => [...block.keys()]))]);
    } else {
      local[kind].push(use);
      this.bound.set(node, local);
    }
  }

  private function(node: FunctionDeclaration): void {
    const outer = this.owner;
    this.owner = node;
    this.block(node.body, () => {
      // A method has a parameter that isn't written.
      if (node.identifier?.type === 'MemberExpression' && node.identifier.indexer === ':')
        this.blocks.at(-1)?.set('self', unwritten(node.identifier.identifier, node));
      for (const parameter of node.parameters)
        if (parameter.type === 'Identifier') this.declare(parameter, 'parameter');
    });
    this.owner = outer;
  }

  private visit(node: Node): void {
    // Kinds of nodes that aren't named here only lead to their children.
    // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check
    switch (node.type) {
      case 'Identifier':
        return this.use(node, 'reads');
      case 'LocalStatement':
        node.init.forEach((each) => this.visit(each));
        return node.variables.forEach((each) => this.declare(each, 'local'));
      case 'AssignmentStatement':
        node.init.forEach((each) => this.visit(each));
        return node.variables.forEach((each) =>
          each.type === 'Identifier' ? this.use(each, 'writes') : this.visit(each),
        );
      case 'FunctionDeclaration':
        if (node.identifier?.type === 'Identifier') {
          if (node.isLocal) this.declare(node.identifier, 'function');
          else this.use(node.identifier, 'writes');
        } else if (node.identifier !== null) this.visit(node.identifier);
        return this.function(node);
      case 'MemberExpression':
        return this.visit(node.base);
      case 'TableKeyString':
        return this.visit(node.value);
      case 'LabelStatement':
      case 'GotoStatement':
        return;
      case 'IfClause':
      case 'ElseifClause':
      case 'WhileStatement':
        this.visit(node.condition);
        return this.block(node.body);
      case 'ElseClause':
      case 'DoStatement':
        return this.block(node.body);
      case 'RepeatStatement':
        // The condition sees the locals of the body.
        return this.block(node.body, undefined, () => this.visit(node.condition));
      case 'ForNumericStatement':
        [node.start, node.end, node.step].forEach((each) => each !== null && this.visit(each));
        return this.block(node.body, () => this.declare(node.variable, 'loop'));
      case 'ForGenericStatement':
        node.iterators.forEach((each) => this.visit(each));
        return this.block(node.body, () => node.variables.forEach((each) => this.declare(each, 'loop')));
      default:
        childrenOf(node).forEach((each) => this.visit(each));
    }
  }
}

function unwritten(declared: Identifier, owner: FunctionDeclaration): Local {
  return { name: 'self', kind: 'parameter', declared, owner, reads: [], writes: [] };
}
