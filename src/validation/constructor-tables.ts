import type { Node, TableConstructorExpression } from 'luaparse';
import type { AnalysedProgram } from './analysed-program.js';
import { schemasIn } from './schemas.js';
import { signatures, type Signature } from './signatures.js';
import type { SourceFile } from './source-file.js';
import { getOwn } from '../contract/json.js';

/** A table that is written out where a signature is known. */
export interface ConstructorTable {
  /** As people call it: `Agent`, `Human.approve`, `field of input "age"`. */
  what: string;
  node: Node;
  table: TableConstructorExpression;
  signature: Signature;
}

/** All of them in a file: declarations, requests of people, options, and the fields of schemas. */
export function constructorTables(file: SourceFile, program: AnalysedProgram): ConstructorTable[] {
  const { declared, globals } = program;
  const declarations = declared.flatMap(({ file: home, kind, config, call }) => {
    const signature = getOwn(signatures, kind);
    if (home !== file || config === null || signature === undefined) return [];
    return [{ what: call.callee, node: call.node, table: config, signature }];
  });
  const calls = file.calls.flatMap((call): ConstructorTable[] => {
    const signature = call.indexer === null ? undefined : getOwn(signatures, call.callee);
    const table = signature === undefined ? undefined : call.args[signature.argument];
    if (signature === undefined || table?.type !== 'TableConstructorExpression') return [];
    if (globals.has(call.callee.split('.')[0] ?? '')) return [];
    return [{ what: call.callee, node: call.node, table, signature }];
  });
  return [...declarations, ...calls, ...fieldTables(file, program)];
}

function fieldTables(file: SourceFile, program: AnalysedProgram): ConstructorTable[] {
  const signature = signatures['field'] as Signature;
  return schemasIn(file, program).flatMap(({ key, fields }) =>
    fields.flatMap(({ name, node, config }) =>
      config === null ? [] : [{ what: `the field ${name} of ${key}`, node, table: config, signature }],
    ),
  );
}
