import {
  fieldOf,
  namedFields,
  textOf,
  type TableField,
  type Expression,
  type Node,
  type TableConstructorExpression,
} from '../syntax/ast.js';
import type { Call } from '../syntax/calls.js';
import { language } from '../../language/language.generated.js';
import type { SourceFile } from '../syntax/source-file.js';

/** The types that a field may have. */
export const fieldTypes: readonly string[] = [
  ...(language.aliases['tactus.FieldType'] ?? '').matchAll(/"(\w+)"/g),
].map(([, name = '']) => name);

/** A declared field of an input, output or state. */
export interface DeclaredField {
  name: string;
  node: Node;
  /** null where it isn't written out. */
  type: string | null;
  /** Where the type stands. */
  typeNode: Node;
  required: boolean;
  default: Expression | undefined;
  enum: Expression | undefined;
  /** The table of its attributes. */
  config: TableConstructorExpression | null;
}

/** Reads `{name = field.string{…}, age = {type = "number"}, note = "string"}`. */
export function readFields(table: TableConstructorExpression, file: SourceFile): DeclaredField[] {
  return namedFields(table).map((entry) => readField(entry, file));
}

function readField({ key, node, value }: TableField, file: SourceFile): DeclaredField {
  const call = file.calls.find((each) => each.node === value);
  const config = value.type === 'TableConstructorExpression' ? value : configOf(call);
  const typed = fieldOf(config, 'type');
  const called = call === undefined ? null : /^field\.(\w+)$/.exec(call.callee);
  const required = fieldOf(config, 'required');
  return {
    name: key,
    node,
    type: called?.[1] ?? textOf(typed) ?? textOf(value),
    typeNode: typed ?? value,
    required: required?.type === 'BooleanLiteral' && required.value,
    default: fieldOf(config, 'default'),
    enum: fieldOf(config, 'enum'),
    config,
  };
}

function configOf(call: Call | undefined): TableConstructorExpression | null {
  const first = call?.args[0];
  return first?.type === 'TableConstructorExpression' ? first : null;
}

/** Whether a schema is one field (`output = field.string{}`) or a field's table, rather than fields by name. */
export function isOneField(value: Expression): boolean {
  if (value.type !== 'TableConstructorExpression') return true;
  const type = textOf(fieldOf(value, 'type'));
  return type !== null && fieldTypes.includes(type);
}
