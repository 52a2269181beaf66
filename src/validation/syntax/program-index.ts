import type { AnalysedProgram } from '../program/analysed-program.js';
import type { FunctionDeclaration, Identifier, Node } from './ast.js';
import type { Declared } from '../program/declared.js';
import type { SourceFile } from './source-file.js';

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
