import { getOwn } from '../../contract/json/json.js';
import { surface } from '../../language/surface.js';
import type { Expression, Node } from '../syntax/ast.js';
import type { SourceFile } from '../syntax/source-file.js';
import type { AnalysedProgram } from './analysed-program.js';

/** Names of other Lua versions, languages and dialects, with what to write here. */
export const foreignNames: Readonly<Record<string, string>> = {
  Sys: 'write System.alert{…} or Log.info(…)',
  Resource: 'read files with File.read(path)',
  tactus: 'write require("tactus.tools.done")',
  io: 'read and write files with File.read(path) and File.write(path, text)',
  load: 'write the code as a function, or put it into a file and require it',
  loadstring: 'write the code as a function, or put it into a file and require it',
  loadfile: 'use require("name")',
  dofile: 'use require("name")',
  unpack: 'write table.unpack',
  setfenv: 'pass what the function needs as arguments',
  getfenv: 'pass what the function needs as arguments',
  module: 'return a table from the file',
  bit32: 'write the operators & | ~ << >>',
  None: 'write nil',
  null: 'write nil',
  undefined: 'write nil',
  NULL: 'write nil',
  True: 'write true',
  False: 'write false',
  len: 'write #value',
  str: 'write tostring(value)',
  int: 'write math.tointeger(value) or math.floor(value)',
  float: 'write tonumber(value)',
  range: 'write for i = first, last do … end',
  printf: 'write print(string.format(…))',
  console: 'write print(…) or Log.info(…)',
  log: 'write Log.info(…)',
  sleep: 'write Sleep(seconds)',
  json: 'write Json.encode(value) and Json.decode(text)',
  self: 'declare the function with a colon, or take self as a parameter',
};

/** Lua's own libraries: a procedure may add functions to them, as `string.trim`. */
const libraries = new Set(['string', 'table', 'math', 'os', 'utf8', 'coroutine']);

/** What the files of the program add to libraries, as `string.trim`. */
export function additionsIn(program: AnalysedProgram): ReadonlySet<string> {
  const targets = program.files.flatMap((file) =>
    file.nodes.flatMap(targetsOf).map((target) => addition(target, file, program)),
  );
  return new Set(targets.filter((name) => name !== null));
}

/** The whole name where setting it adds to a library of Lua's, rather than replacing what is there; else null. */
export function addition(target: Expression, file: SourceFile, { globals }: AnalysedProgram): string | null {
  if (target.type !== 'MemberExpression' || target.base.type !== 'Identifier') return null;
  const { base, identifier } = target;
  if (!libraries.has(base.name) || globals.has(base.name) || file.scopes.localOf(base) !== null) return null;
  const isThere = getOwn(surface, base.name)?.includes(identifier.name) === true;
  return isThere ? null : `${base.name}.${identifier.name}`;
}

function targetsOf(node: Node): Expression[] {
  if (node.type === 'AssignmentStatement') return node.variables;
  return node.type === 'FunctionDeclaration' && node.identifier !== null ? [node.identifier] : [];
}
