import type { AnalysedProgram } from '../validation/program/analysed-program.js';
import { childrenOf, within, type FunctionDeclaration, type Node } from '../validation/syntax/ast.js';
import { effectAt, effectOf } from '../validation/program/effects.js';
import { calledGraph } from './written-graphs.js';
import { argumentsOf, isCallNode, type CallNode, type SourceFile } from '../validation/syntax/source-file.js';
import { declaredBy, valueOf } from '../validation/syntax/value-of.js';

/** A function of one of the files. */
export interface FileFunction {
  body: FunctionDeclaration;
  file: SourceFile;
}

/** What a node does by itself, without what stands below it. */
interface Doing {
  hasEffect: boolean;
  /** Functions that run there: called ones, and those that are handed to a call. */
  calls: FileFunction[];
  /** Whether what stands below it counts. */
  goesOn: boolean;
}

const nothing: Doing = { hasEffect: false, calls: [], goesOn: true };

/** Tells which parts of a program do something that is worth drawing. Each node is looked at once. */
export class Reach {
  private readonly doing = new Map<Node, Doing>();
  private readonly known = new Map<Node, boolean>();
  private readonly leaving = [new Map<Node, boolean>(), new Map<Node, boolean>()] as const;

  constructor(private readonly program: AnalysedProgram) {}

  /** Whether an effect is asked for in the node, or in a function that is called there. */
  does(node: Node, file: SourceFile): boolean {
    const known = this.known.get(node);
    if (known !== undefined) return known;
    if (node.type === 'FunctionDeclaration') this.learn({ body: node, file });
    else this.known.set(node, this.doesItself(node, file));
    return this.known.get(node) ?? false;
  }

  private doesItself(node: Node, file: SourceFile): boolean {
    const { hasEffect, calls, goesOn } = this.doingAt(node, file);
    if (hasEffect || calls.some(({ body, file: home }) => this.does(body, home))) return true;
    return goesOn && ownChildren(node).some((child) => this.does(child, file));
  }

  /** Finds it out for a function and all that it calls, which may lead in circles: what does something tells its callers. */
  private learn(first: FileFunction): void {
    const callers = new Map<Node, Node[]>([[first.body, []]]);
    const queue = [first];
    const doers: Node[] = [];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { hasEffect, calls } = this.doingIn(next);
      let does = hasEffect;
      for (const called of calls) {
        const known = this.known.get(called.body);
        does ||= known === true;
        if (known !== undefined) continue;
        const others = callers.get(called.body);
        if (others !== undefined) others.push(next.body);
        else {
          callers.set(called.body, [next.body]);
          queue.push(called);
        }
      }
      if (does) doers.push(next.body);
    }
    for (let doer = doers.pop(); doer !== undefined; doer = doers.pop()) {
      if (this.known.get(doer) === true) continue;
      this.known.set(doer, true);
      for (const caller of callers.get(doer) ?? []) doers.push(caller);
    }
    for (const body of callers.keys()) if (!this.known.has(body)) this.known.set(body, false);
  }

  /** What all of a function does by itself. */
  private doingIn({ body, file }: FileFunction): Pick<Doing, 'hasEffect' | 'calls'> {
    const calls: FileFunction[] = [];
    const rest: Node[] = ownChildren(body);
    for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
      const own = this.doingAt(node, file);
      if (own.hasEffect) return { hasEffect: true, calls: [] };
      for (const called of own.calls) calls.push(called);
      if (own.goesOn) for (const child of ownChildren(node)) rest.push(child);
    }
    return { hasEffect: false, calls };
  }

  private doingAt(node: Node, file: SourceFile): Doing {
    if (!isCallNode(node)) return nothing;
    const known = this.doing.get(node) ?? this.callDoes(node, file);
    this.doing.set(node, known);
    return known;
  }

  /** Whether the node may leave where it stands: by return, error, break or goto. */
  leaves(node: Node, file: SourceFile, inLoop = false): boolean {
    const known = this.leaving[inLoop ? 1 : 0];
    const answer = known.get(node) ?? this.leavesItself(node, file, inLoop);
    known.set(node, answer);
    return answer;
  }

  private leavesItself(node: Node, file: SourceFile, inLoop: boolean): boolean {
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
      declaredBy(node, this.program) !== undefined ||
      /^(Step|Mocks|mocks|Specifications?|specifications?|Evaluations?|evaluations?|Toolset|toolset|Hitl|hitl|Task|TaskFunction|IncludeTasks|Graph)$/.test(
        callee,
      )
    );
  }

  private callDoes(node: CallNode, file: SourceFile): Doing {
    if (this.isDeclaration(node, file)) return { hasEffect: false, calls: [], goesOn: false };
    const { program } = this;
    const calls: FileFunction[] = [];
    const called = valueOf(node.base, file, program);
    if (called?.kind === 'function') calls.push(called);
    for (const argument of argumentsOf(node)) {
      if (argument.type === 'FunctionDeclaration') calls.push({ body: argument, file });
      else if (argument.type === 'Identifier' || argument.type === 'MemberExpression') {
        const given = valueOf(argument, file, program);
        if (given?.kind === 'function') calls.push(given);
      }
    }
    const callee = file.callAt.get(node)?.callee;
    const [first] = argumentsOf(node);
    const isProtected = (callee === 'pcall' || callee === 'xpcall') && first !== undefined;
    const hasEffect =
      effectAt(node, file, program) !== null ||
      calledGraph(node.base, file, program) !== null ||
      (isProtected && effectOf(first, [], file, program) !== null);
    return { hasEffect, calls, goesOn: true };
  }
}

/** Functions that are written there do nothing until they are called. */
function ownChildren(node: Node): Node[] {
  return childrenOf(node).filter(({ type }) => type !== 'FunctionDeclaration');
}
