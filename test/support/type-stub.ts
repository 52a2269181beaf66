import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Expression, Node, Statement } from '../../src/validation/syntax/ast.js';
import { parse } from '../../src/validation/syntax/parse.js';

const folder = resolve(import.meta.dirname, '../../types');

/** A function or a value that the stub declares. */
export interface Declared {
  /** `Human`, `Human.approve`; in a module, what it is there: `Classify`. */
  name: string;
  /** The comment above it, a line each, without `---`. */
  doc: string[];
  /** Names of its parameters; null: no function. */
  parameters: string[] | null;
  isLocal: boolean;
  place: string;
}

export interface StubFile {
  name: string;
  text: string;
  /** `---@meta tactus.tools.done`; null in files of globals. */
  module: string | null;
  declared: Declared[];
}

/** The files of `types/`, as they stand. */
export function readStub(): StubFile[] {
  return globSync('**/*.lua', { cwd: folder })
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const module = /^---@meta (\S+)/.exec(text)?.[1] ?? '_';
      return { name, text, module: module === '_' ? null : module, declared: declaredIn(name, text) };
    });
}

/** Globals and their members. */
export function globalsOf(files: readonly StubFile[]): Declared[] {
  return files
    .filter(({ module }) => module === null)
    .flatMap(({ declared }) => declared.filter(({ isLocal }) => !isLocal));
}

function declaredIn(file: string, text: string): Declared[] {
  const parsed = parse(text);
  if ('problem' in parsed) throw new Error(`types/${file}:${parsed.problem.line}: ${parsed.problem.message}`);
  const lines = text.split('\n');
  return parsed.chunk.body.flatMap((statement) => {
    const found = nameAndParameters(statement);
    if (found === null) return [];
    const line = statement.loc?.start.line ?? 1;
    const place = `types/${file}:${line}`;
    return [{ ...found, doc: docAbove(lines, line), isLocal: isLocal(statement), place }];
  });
}

function nameAndParameters(statement: Statement): Pick<Declared, 'name' | 'parameters'> | null {
  if (statement.type === 'FunctionDeclaration')
    return {
      name: pathOf(statement.identifier),
      parameters: statement.parameters.map((each) => (each.type === 'Identifier' ? each.name : '...')),
    };
  if (statement.type === 'AssignmentStatement' || statement.type === 'LocalStatement')
    return { name: pathOf(statement.variables[0] ?? null), parameters: null };
  return null;
}

function isLocal(statement: Statement): boolean {
  return statement.type === 'LocalStatement';
}

function pathOf(node: Expression | Node | null): string {
  if (node?.type === 'Identifier') return node.name;
  if (node?.type === 'MemberExpression') return `${pathOf(node.base)}.${node.identifier.name}`;
  throw new Error(`the stub declares something without a name: ${node?.type}`);
}

function docAbove(lines: readonly string[], line: number): string[] {
  const doc: string[] = [];
  for (let at = line - 2; lines[at]?.startsWith('---') === true; at--) doc.unshift(lines[at] ?? '');
  return doc.map((each) => each.slice(3));
}
