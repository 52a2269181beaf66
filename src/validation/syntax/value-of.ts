import type { AnalysedProgram } from '../program/analysed-program.js';
import {
  fieldOf,
  stringValue,
  type Expression,
  type FunctionDeclaration,
  type Identifier,
  type MemberExpression,
  type Node,
} from './ast.js';
import { kindOfCallee, type Declared, type DeclaredKind } from '../program/declared.js';
import { candidatesOf } from '../program/required-files.js';
import { isCallNode, type Call, type SourceFile } from './source-file.js';

/** What a name or a call stands for, where the files say it: a function, what they declare, or a classifier. */
export type Value =
  | { kind: 'function'; body: FunctionDeclaration; file: SourceFile }
  | { kind: 'declared'; declared: Declared }
  | { kind: 'classifier'; call: Call };

/** Looks through variables, members of tables and modules; null where nothing tells what it is. */
export function valueOf(node: Expression, file: SourceFile, program: AnalysedProgram): Value | null {
  return new Resolver(program).value(node, file);
}

export function declaredAs(
  kind: DeclaredKind,
  name: string | null,
  { declared }: AnalysedProgram,
): Declared | null {
  return declared.find((each) => each.kind === kind && each.name === name) ?? null;
}

/** The module that a call of `require` names; null where it is none, or computed. */
export function requiredModule(node: Expression | null, { callAt }: SourceFile): string | null {
  const call = node === null ? undefined : callAt.get(node);
  return call?.callee === 'require' ? stringValue(call.args[0]) : null;
}

/** What a variable is given first. */
export function initialValue(
  name: Identifier,
  file: SourceFile,
  program: AnalysedProgram,
): { value: Expression; file: SourceFile } | null {
  const local = file.scopes.localOf(name);
  if (local !== null) {
    for (const each of [local.declared, ...local.writes.map(({ node }) => node)]) {
      const value = assigned(each, file);
      if (value !== null) return { value, file };
    }
    return null;
  }
  for (const { node, file: each } of globalWrites(name.name, program)) {
    const value = assigned(node, each);
    if (value !== null) return { value, file: each };
  }
  return null;
}

function assigned(target: Identifier, { parents }: SourceFile): Expression | null {
  const up = parents.get(target);
  if (up?.type === 'FunctionDeclaration') return up.identifier === target ? up : null;
  if (up?.type !== 'AssignmentStatement' && up?.type !== 'LocalStatement') return null;
  return up.init[(up.variables as Node[]).indexOf(target)] ?? null;
}

class Resolver {
  /** Names can lead in circles. */
  private readonly seen = new Set<Node>();

  constructor(private readonly program: AnalysedProgram) {}

  value(node: Expression, file: SourceFile): Value | null {
    if (this.seen.has(node)) return null;
    this.seen.add(node);
    if (node.type === 'FunctionDeclaration') return { kind: 'function', body: node, file };
    if (isCallNode(node)) return this.called(node, file);
    if (node.type === 'Identifier') return this.named(node, file);
    return node.type === 'MemberExpression' ? this.member(node, file) : null;
  }

  /** `Agent {…}`, `Agent("name")`, `require("module")`, `Classify {…}`. */
  private called(node: Expression, file: SourceFile): Value | null {
    const declared = declaredBy(node, this.program);
    if (declared !== undefined) return { kind: 'declared', declared };
    const call = file.callAt.get(node);
    if (call === undefined) return null;
    if (/(^|\.)Classify$/.test(call.callee)) return { kind: 'classifier', call };
    const module = this.moduleOf(node, file);
    if (module !== null) {
      const result = resultOf(module);
      return result === null ? null : this.value(result, module);
    }
    const kind = kindOfCallee(call.callee.replace(/^([Tt]ool)\.get$/, '$1'));
    const named = kind === null ? null : declaredAs(kind, stringValue(call.args[0]), this.program);
    return named === null ? null : { kind: 'declared', declared: named };
  }

  private named(node: Identifier, file: SourceFile): Value | null {
    const { program } = this;
    const isGlobal = file.scopes.localOf(node) === null;
    const held = program.declared.find((each) => each.local === null && each.variable?.name === node.name);
    if (isGlobal && held !== undefined) return { kind: 'declared', declared: held };
    // What a file sets goes before what a declaration makes global by its name.
    const initial = initialValue(node, file, program);
    if (initial !== null) return this.value(initial.value, initial.file);
    const declared = isGlobal ? program.declared.find((each) => isCalled(each, node.name)) : undefined;
    return declared === undefined ? null : { kind: 'declared', declared };
  }

  private member({ base, identifier }: MemberExpression, file: SourceFile): Value | null {
    return this.memberOf(base, identifier.name, file);
  }

  private memberOf(base: Expression, name: string, file: SourceFile): Value | null {
    if (base.type === 'TableConstructorExpression') {
      const value = fieldOf(base, name);
      return value === undefined ? null : this.value(value, file);
    }
    const module = this.moduleOf(base, file);
    if (module !== null) {
      const result = resultOf(module);
      return result === null ? null : this.memberOf(result, name, module);
    }
    if (base.type !== 'Identifier') return null;
    const initial = initialValue(base, file, this.program);
    if (
      initial !== null &&
      (initial.value.type === 'TableConstructorExpression' || isCallNode(initial.value))
    ) {
      const found = this.memberOf(initial.value, name, initial.file);
      if (found !== null) return found;
    }
    const candidates = file.members.get(name) ?? [];
    const own = candidates.find((each) => isSameVariable(each.base, base, file));
    // An object of some class: where one function alone has the name, it is that.
    const [only, other] = candidates;
    const value = own?.value ?? (other === undefined ? only?.value : undefined);
    return value === undefined ? null : this.value(value, file);
  }

  private moduleOf(node: Expression, file: SourceFile): SourceFile | null {
    const { source, files } = this.program;
    const name = requiredModule(node, file);
    if (name === null) return null;
    const candidates = candidatesOf(name, source.entry);
    return files.find((each) => candidates.includes(each.name)) ?? null;
  }
}

/** By its name, or with a capital as the dialect of 0.10 has it. */
function isCalled({ name }: Declared, word: string): boolean {
  return name !== null && (name === word || name.slice(0, 1).toUpperCase() + name.slice(1) === word);
}

/** What a module gives. */
function resultOf({ chunk }: SourceFile): Expression | null {
  const last = chunk.body.at(-1);
  return last?.type === 'ReturnStatement' ? (last.arguments[0] ?? null) : null;
}

function isSameVariable(one: Expression, other: Identifier, { scopes }: SourceFile): boolean {
  return (
    one.type === 'Identifier' && one.name === other.name && scopes.localOf(one) === scopes.localOf(other)
  );
}

/** What is looked for again and again in all of a program, found in one step. */
interface ProgramIndex {
  byCall: ReadonlyMap<Node, Declared>;
  byBody: ReadonlyMap<FunctionDeclaration, Declared>;
  /** Where global variables are set, in the order of the files. */
  writes: ReadonlyMap<string, readonly { node: Identifier; file: SourceFile }[]>;
}

const indexes = new WeakMap<AnalysedProgram['declared'], ProgramIndex>();

/** The declaration that a call makes; undefined where it makes none. */
export function declaredBy(node: Node, program: AnalysedProgram): Declared | undefined {
  return indexOf(program).byCall.get(node);
}

/** The declaration whose body a function is. */
export function declaredWith(body: FunctionDeclaration, program: AnalysedProgram): Declared | undefined {
  return indexOf(program).byBody.get(body);
}

export function globalWrites(
  name: string,
  program: AnalysedProgram,
): readonly { node: Identifier; file: SourceFile }[] {
  return indexOf(program).writes.get(name) ?? [];
}

function indexOf({ declared, files }: AnalysedProgram): ProgramIndex {
  const known = indexes.get(declared);
  if (known !== undefined) return known;
  const byCall = new Map<Node, Declared>();
  const byBody = new Map<FunctionDeclaration, Declared>();
  for (const each of declared) {
    if (!byCall.has(each.call.node)) byCall.set(each.call.node, each);
    if (each.body !== null && !byBody.has(each.body)) byBody.set(each.body, each);
  }
  const writes = new Map<string, { node: Identifier; file: SourceFile }[]>();
  for (const file of files)
    for (const { node } of file.scopes.writes) {
      const same = writes.get(node.name) ?? [];
      same.push({ node, file });
      writes.set(node.name, same);
    }
  const index = { byCall, byBody, writes };
  indexes.set(declared, index);
  return index;
}
