import type { AnalysedProgram } from './analysed-program.js';
import { fieldOf, type Expression, type TableConstructorExpression } from '../syntax/ast.js';
import { isOneField, readFields, type DeclaredField } from './fields.js';
import type { SourceFile } from '../syntax/source-file.js';
import { fitsField, kindText, literalKind } from '../syntax/literal-kind.js';
import type { Finding } from '../rule.js';

export interface DeclaredSchema {
  /** `input`, `output` and their like. */
  key: string;
  fields: DeclaredField[];
}

const keys = ['input', 'output', 'outputs', 'output_schema', 'state', 'parameters'];

/** All schemas that are written out in a file: of procedures, tools, agents and models, and of a script. */
export function schemasIn(file: SourceFile, { declared }: AnalysedProgram): DeclaredSchema[] {
  const configs = declared.filter((each) => each.file === file).map(({ config }) => config);
  const values = [
    ...configs.flatMap((config) => keys.map((key) => ({ key, value: fieldOf(config, key) }))),
    ...file.calls
      .filter(({ callee }) => /^(input|output|state)$/.test(callee))
      .map(({ callee, args: [value] }) => ({ key: callee, value })),
  ];
  return values.flatMap(({ key, value }) =>
    value?.type === 'TableConstructorExpression' && !isOneField(value) ? [schema(key, value, file)] : [],
  );
}

function schema(key: string, table: TableConstructorExpression, file: SourceFile): DeclaredSchema {
  return { key, fields: readFields(table, file) };
}

/** A value that is written out where a field of another type is declared; null where it fits, or nobody can tell. */
export function typeMismatch(what: string, value: Expression, type: string | null): Finding | null {
  const kind = literalKind(value);
  if (type === null || kind === null || fitsField(value, type)) return null;
  return {
    node: value,
    message: `${what} is declared as ${type}, and gets ${kindText(kind)}`,
    suggestion: 'change the value, or the declared type',
  };
}
