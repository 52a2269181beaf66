import {
  fieldOf,
  isComplete,
  namedFields,
  stringValue,
  type TableField,
  type Expression,
  type Node,
  type TableConstructorExpression,
} from '../syntax/ast.js';
import { language } from '../../language/language.generated.js';
import type { Call, SourceFile } from '../syntax/source-file.js';
import { TactusError } from '../../contract/errors.js';
import { readSignatureText } from '../../lua-bridge/index.js';
import type { Declared } from './declared.js';

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
    type: called?.[1] ?? stringValue(typed) ?? stringValue(value),
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
  const type = stringValue(fieldOf(value, 'type'));
  return type !== null && fieldTypes.includes(type);
}

/** The inputs that a module's signature declares; null where they aren't written out, or can't be read. */
export function moduleInputs({ config, file }: Declared): readonly DeclaredField[] | null {
  const signature = fieldOf(config, 'signature');
  if (signature === undefined) return null;
  const call = file.callAt.get(signature);
  const given = call?.callee === 'Signature' ? call.args.at(-1) : signature;
  if (given?.type === 'TableConstructorExpression') return ofTable(given, file);
  const text = stringValue(given);
  return text === null ? null : ofText(text, signature);
}

function ofTable(table: TableConstructorExpression, file: SourceFile): DeclaredField[] | null {
  const input = fieldOf(table, 'input');
  if (input?.type !== 'TableConstructorExpression' || !isComplete(input)) return null;
  return readFields(input, file).map((field) => {
    const said = fieldOf(field.config, 'required');
    const isOptional = said?.type === 'BooleanLiteral' && !said.value;
    const isWrittenOut = field.config === null || isComplete(field.config);
    return { ...field, type: checkedType(field.type), required: isWrittenOut && !isOptional };
  });
}

function ofText(text: string, node: Expression): DeclaredField[] | null {
  const rest = { node, typeNode: node, default: undefined, enum: undefined, config: null };
  try {
    const { input } = readSignatureText(text);
    return Object.entries(input).map(([name, { type, required }]) => ({
      ...{ name, required, type: checkedType(type) },
      ...rest,
    }));
  } catch (error) {
    // Whoever loads the file says it.
    if (error instanceof TactusError) return null;
    throw error;
  }
}

/** A model reads any value as text. */
function checkedType(type: string | null): string | null {
  return type === 'string' || type === 'str' ? null : type;
}
