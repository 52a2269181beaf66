import type { AnalysedProgram } from './analysed-program.js';
import {
  isWithin,
  stringValue,
  type Expression,
  type FunctionDeclaration,
  type Node,
} from '../syntax/ast.js';
import { effectOfCallee, waits } from '../../language/surface.js';
import { kindOfCallee, type Declared, type DeclaredKind } from './declared.js';
import { argumentsOf, calleeOf, isCallNode, type SourceFile } from '../syntax/source-file.js';
import { declaredAs, declaredBy, initialValue, requiredModule, valueOf } from '../syntax/value-of.js';

const sending = /^(get|post|put|patch|delete|request)$/;

/** A call that asks something of the outside, or leaves a record. */
export interface EffectCall {
  kind: DeclaredKind | 'classifier' | 'primitive';
  /** `Human.approve` of a primitive, the name of what is declared, or as it is called. */
  name: string;
  /** Of a primitive, what it asks for: see src/language/surface.ts; else null. */
  effect: string | null;
  declared: Declared | null;
  args: readonly Expression[];
}

/** What the call at a node asks for; null where it asks for nothing. */
export function effectAt(node: Node, file: SourceFile, program: AnalysedProgram): EffectCall | null {
  if (!isCallNode(node)) return null;
  const call = file.callAt.get(node);
  const kind = kindOfCallee(call?.callee ?? '');
  if (call !== undefined && kind !== null) {
    const isDeclaration = declaredBy(node, program) !== undefined;
    const name = stringValue(call.args[0]);
    if (isDeclaration || !call.isCurried || name === null) return null;
    return { kind, name, effect: null, declared: declaredAs(kind, name, program), args: call.args.slice(1) };
  }
  return effectOf(node.base, argumentsOf(node), file, program);
}

/** What a call of this would ask for: of a primitive, a handle, one of its methods, or a function of `tactus.io`. */
export function effectOf(
  called: Expression,
  args: readonly Expression[],
  file: SourceFile,
  program: AnalysedProgram,
): EffectCall | null {
  const callee = calleeOf(called, file.scopes)?.callee ?? '';
  const asked = program.globals.has(callee.split('.')[0] ?? '') ? null : effectOfCallee(callee);
  if (asked !== null) return primitive(callee, asked, args);
  const direct = handle(called, args, file, program);
  if (direct !== null || called.type !== 'MemberExpression') return direct;
  const { base, identifier } = called;
  const module = base.type === 'Identifier' ? initialValue(base, file, program) : { value: base, file };
  const required = module === null ? null : requiredModule(module.value, module.file);
  if (required?.startsWith('tactus.io.') === true)
    return primitive(`${required}.${identifier.name}`, 'file', args);
  if (module !== null && sending.test(identifier.name) && isClient(module.value, module.file))
    return primitive(`http_client.${identifier.name}`, 'http', args);
  const asks = handle(base, args, file, program);
  const methods: Readonly<Record<string, string[]>> = {
    agent: ['turn', 'run'],
    model: ['predict'],
    retriever: ['index'],
  };
  return asks !== null && methods[asks.kind]?.includes(identifier.name) === true ? asks : null;
}

function primitive(name: string, effect: string, args: readonly Expression[]): EffectCall {
  return { kind: 'primitive', name, effect, declared: null, args };
}

/** `http_client{…}`, or `dependencies.api`. */
function isClient(value: Expression, { callAt, scopes }: SourceFile): boolean {
  if (callAt.get(value)?.callee === 'http_client') return true;
  return calleeOf(value, scopes)?.callee.startsWith('dependencies.') === true;
}

function handle(
  called: Expression,
  args: readonly Expression[],
  file: SourceFile,
  program: AnalysedProgram,
): EffectCall | null {
  const value = valueOf(called, file, program);
  const variable =
    called.type === 'Identifier'
      ? called.name
      : called.type === 'MemberExpression'
        ? called.identifier.name
        : '';
  if (value?.kind === 'declared') {
    const { declared } = value;
    return { kind: declared.kind, name: declared.name ?? variable, effect: null, declared, args };
  }
  return value?.kind === 'classifier'
    ? { kind: 'classifier', name: variable, effect: null, declared: null, args }
    : null;
}

/** Calls below a node that have to wait, or leave a record. */
export function effectsWithin(outer: Node, file: SourceFile, program: AnalysedProgram): Node[] {
  return file.nodes.filter((node) => {
    if (!isCallNode(node) || !isWithin(node, outer, file.parents)) return false;
    const effect = effectAt(node, file, program);
    return effect !== null && (effect.effect === null || waits(effect.effect));
  });
}

/** Functions whose result is recorded: `checkpoint(function() … end)`. */
export function checkpointBodies(file: SourceFile): FunctionDeclaration[] {
  return file.calls.flatMap(({ callee, args: [body] }) => {
    if (callee !== 'checkpoint' && callee !== 'Step.checkpoint') return [];
    if (body?.type === 'FunctionDeclaration') return [body];
    const local = body?.type === 'Identifier' ? file.scopes.localOf(body) : null;
    const held = local === null ? undefined : file.parents.get(local.declared);
    return held?.type === 'FunctionDeclaration' ? [held] : [];
  });
}

/** The innermost of the functions that the node stands in. */
export function bodyAround(
  node: Node,
  bodies: readonly FunctionDeclaration[],
  { parents }: SourceFile,
): FunctionDeclaration | null {
  for (let up = parents.get(node); up !== undefined; up = parents.get(up))
    if (up.type === 'FunctionDeclaration' && bodies.includes(up)) return up;
  return null;
}
