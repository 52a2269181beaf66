import type { TableConstructorExpression } from 'luaparse';
import type { AnalysedProgram } from './analysed-program.js';
import { fieldOf } from './ast.js';
import { isOneField, readFields, type DeclaredField } from './fields.js';
import type { SourceFile } from './source-file.js';

export interface DeclaredSchema {
  fields: DeclaredField[];
}

/** All schemas that are written out in a file: of procedures, tools, agents and models, and of a script. */
export function constructorSchemas(file: SourceFile, { declared }: AnalysedProgram): DeclaredSchema[] {
  const tables: TableConstructorExpression[] = [];
  const add = (value: ReturnType<typeof fieldOf>): void => {
    if (value?.type === 'TableConstructorExpression' && !isOneField(value)) tables.push(value);
  };
  for (const { file: home, config } of declared)
    if (home === file)
      for (const key of ['input', 'output', 'outputs', 'output_schema', 'state', 'parameters'])
        add(fieldOf(config, key));
  for (const { callee, args } of file.calls) if (/^(input|output|state)$/.test(callee)) add(args[0]);
  return tables.map((table) => ({ fields: readFields(table, file) }));
}
