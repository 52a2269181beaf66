import { TactusError } from '../../contract/errors.js';
import { readSignatureText } from '../../lua-bridge/index.js';
import {
  fieldOf,
  isComplete,
  textOf,
  type Expression,
  type TableConstructorExpression,
} from '../syntax/ast.js';
import type { Declared } from './declared.js';
import { readFields, type DeclaredField } from './fields.js';
import type { SourceFile } from '../syntax/source-file.js';

/** The inputs that a module's signature declares; null where they aren't written out, or can't be read. */
export function moduleInputs({ config, file }: Declared): readonly DeclaredField[] | null {
  const signature = fieldOf(config, 'signature');
  if (signature === undefined) return null;
  const call = file.callAt.get(signature);
  const given = call?.callee === 'Signature' ? call.args.at(-1) : signature;
  if (given?.type === 'TableConstructorExpression') return ofTable(given, file);
  const text = textOf(given);
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
