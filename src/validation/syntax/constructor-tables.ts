import { signatureOf } from '../../language/signature.js';
import { itemTypeOf, tableTypeOf, type TableType } from '../../language/table-type.js';
import { getOwn } from '../../contract/json/json.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import {
  listItems,
  namedFields,
  type Expression,
  type Node,
  type TableConstructorExpression,
} from './ast.js';
import { configClasses } from '../program/declared.js';
import { schemasIn } from '../program/schemas.js';
import type { SourceFile } from './source-file.js';

/** A table that is written out where it is known what it may hold. */
export interface ConstructorTable {
  /** As people call it: `Agent`, `Human.approve`, `the field age of input`. */
  what: string;
  node: Node;
  table: TableConstructorExpression;
  type: TableType;
}

const tablesOf = new WeakMap<AnalysedProgram, Map<SourceFile, readonly ConstructorTable[]>>();

/**
 * All of them in a file: declarations, requests of people, options, the fields of schemas, and tables within tables.
 * Several rules look at them, so they are found once.
 */
export function constructorTables(file: SourceFile, program: AnalysedProgram): readonly ConstructorTable[] {
  const known = tablesOf.get(program) ?? new Map<SourceFile, readonly ConstructorTable[]>();
  tablesOf.set(program, known);
  const tables = known.get(file) ?? findTables(file, program);
  known.set(file, tables);
  return tables;
}

function findTables(file: SourceFile, program: AnalysedProgram): ConstructorTable[] {
  const { declared, globals } = program;
  const declarations = declared.flatMap(({ file: home, kind, config, call }) =>
    home !== file || config === null ? [] : tablesIn(call.callee, call.node, config, configClasses[kind]),
  );
  const calls = file.calls.flatMap((call) => {
    if (call.indexer === ':' || globals.has(call.callee.split('.')[0] ?? '')) return [];
    const parameters = signatureOf(call.callee)?.parameters ?? [];
    return parameters.flatMap(({ type }, i) => tablesIn(call.callee, call.node, call.args[i], type));
  });
  const seen = new Set<TableConstructorExpression>();
  return [...fieldTables(file, program), ...declarations, ...calls].filter(({ table }) => {
    const isFirst = !seen.has(table);
    seen.add(table);
    return isFirst;
  });
}

/** What is written out there, and within it, where its type says what tables hold. */
function tablesIn(what: string, node: Node, value: Expression | undefined, type: string): ConstructorTable[] {
  if (value?.type !== 'TableConstructorExpression') return [];
  const items = listItems(value);
  const item = itemTypeOf(type);
  if (item !== null && items.length > 0)
    return items.flatMap((each) => tablesIn(`an item of ${what}`, each, each, item));
  const found = tableTypeOf(type);
  if (found === null) return [];
  const inner = namedFields(value).flatMap((field) => {
    const wanted = getOwn(found.keys, field.key);
    return wanted === undefined ? [] : tablesIn(`${field.key} of ${what}`, field.value, field.value, wanted);
  });
  return [{ what, node, table: value, type: found }, ...inner];
}

function fieldTables(file: SourceFile, program: AnalysedProgram): ConstructorTable[] {
  const type = tableTypeOf('tactus.FieldOptions') as TableType;
  return schemasIn(file, program).flatMap(({ key, fields }) =>
    fields.flatMap(({ name, node, config }) =>
      config === null ? [] : [{ what: `the field ${name} of ${key}`, node, table: config, type }],
    ),
  );
}
