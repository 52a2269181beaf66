import type { AnalysedProgram } from '../validation/analysed-program.js';
import { childrenOf, within, type FunctionDeclaration, type Node } from '../validation/ast.js';
import { argumentsOf, isCallNode } from '../validation/calls.js';
import { effectAt, effectOf } from '../validation/effects.js';
import type { SourceFile } from '../validation/source-file.js';
import { valueOf } from '../validation/value-of.js';

/** A function of one of the files. */
export interface FileFunction {
  body: FunctionDeclaration;
  file: SourceFile;
}

interface Doing {
  hasEffect: boolean;
  calls: FileFunction[];
}

/** Tells which parts of a program do something that is worth drawing. */
export class Reach {
  private readonly doing = new Map<Node, Doing>();
  private readonly known = new Map<Node, boolean>();

  constructor(private readonly program: AnalysedProgram) {}

  /** Whether an effect is asked for in the node, or in a function that is called there. */
  does(node: Node, file: SourceFile): boolean {
    const known = this.known.get(node);
    if (known !== undefined) return known;
    const seen = new Set<Node>();
    const visit = (each: Node, home: SourceFile): boolean => {
      if (seen.has(each)) return false;
      seen.add(each);
      const { hasEffect, calls } = this.doingIn(each, home);
      return hasEffect || calls.some((called) => visit(called.body, called.file));
    };
    const does = visit(node, file);
    this.known.set(node, does);
    return does;
  }

  /** Whether the node may leave where it stands: by return, error, break or goto. */
  leaves(node: Node, file: SourceFile, inLoop = false): boolean {
    if (node.type === 'BreakStatement') return !inLoop;
    if (node.type === 'ReturnStatement') return true;
    if (node.type === 'GotoStatement') return !inLoop;
    if (node.type === 'FunctionDeclaration') return false;
    if (this.raises(node, file)) return true;
    const isLoop = /^(While|Repeat|ForNumeric|ForGeneric)Statement$/.test(node.type);
    return childrenOf(node).some((child) => this.leaves(child, file, inLoop || isLoop));
  }

  /** `error(…)` */
  raises(node: Node, file: SourceFile): boolean {
    return file.callAt.get(node)?.callee === 'error' && !this.program.globals.has('error');
  }

  /** Whether a function may raise an error of its own. */
  raisesIn({ body }: FunctionDeclaration, file: SourceFile): boolean {
    return body.some((statement) => [...within(statement, false)].some((node) => this.raises(node, file)));
  }

  isDeclaration(node: Node, file: SourceFile): boolean {
    const callee = file.callAt.get(node)?.callee ?? '';
    return (
      this.program.declared.some(({ call }) => call.node === node) ||
      /^(Step|Mocks|mocks|Specifications?|specifications?|Evaluations?|evaluations?|Toolset|toolset|Hitl|hitl|Task|TaskFunction|IncludeTasks)$/.test(
        callee,
      )
    );
  }

  private doingIn(root: Node, file: SourceFile): Doing {
    const known = this.doing.get(root);
    if (known !== undefined) return known;
    const doing: Doing = { hasEffect: false, calls: [] };
    this.doing.set(root, doing);
    const visit = (node: Node): void => {
      if (doing.hasEffect) return;
      if (isCallNode(node)) {
        if (this.isDeclaration(node, file)) return;
        if (effectAt(node, file, this.program) !== null) doing.hasEffect = true;
        const called = valueOf(node.base, file, this.program);
        if (called?.kind === 'function') doing.calls.push(called);
        for (const argument of argumentsOf(node)) {
          if (argument.type === 'FunctionDeclaration') visitAll(argument);
          else if (argument.type === 'Identifier' || argument.type === 'MemberExpression') {
            const given = valueOf(argument, file, this.program);
            if (given?.kind === 'function') doing.calls.push(given);
          }
        }
        const callee = file.callAt.get(node)?.callee;
        const [first] = argumentsOf(node);
        if ((callee === 'pcall' || callee === 'xpcall') && first !== undefined)
          doing.hasEffect ||= effectOf(first, [], file, this.program) !== null;
      }
      visitAll(node);
    };
    const visitAll = (node: Node): void => {
      for (const child of childrenOf(node)) if (child.type !== 'FunctionDeclaration') visit(child);
    };
    if (root.type === 'FunctionDeclaration') visitAll(root);
    else visit(root);
    return doing;
  }
}
