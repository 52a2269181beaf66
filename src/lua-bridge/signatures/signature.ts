import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { readFields, type Fields } from '../values/schema.js';
import { readSignatureText, type SignatureFields } from './signature-text.js';

export interface Signature extends SignatureFields {
  name: string | null;
  /** What the model is to do; null: what the fields say. */
  instructions: string | null;
}

/**
 * Reads `"question -> answer"`, or `{input = {…}, output = {…}, instructions = "…"}`.
 * @throws TactusError source_invalid
 */
export function readSignature(declared: JsonValue, name: string | null): Signature {
  if (typeof declared === 'string') return { name, instructions: null, ...readSignatureText(declared) };
  const what = `Signature${name === null ? '' : ` "${name}"`}`;
  if (!isObject(declared) || !isObject(declared['output'] ?? null))
    throw new TactusError(
      'source_invalid',
      `${what} must be a text such as "question -> answer", or a table with input = {…} and output = {…}`,
    );
  const { input = {}, output = {}, instructions, description, name: own } = declared;
  const told = instructions ?? description;
  return {
    name: name ?? (typeof own === 'string' ? own : null),
    instructions: typeof told === 'string' ? told : null,
    input: wanted(input, `${what}: input`),
    output: wanted(output, `${what}: output`),
    histories: [],
  };
}

/** All fields are wanted but those with a default, and those that say that they aren't. */
function wanted(declared: JsonValue, where: string): Fields {
  const isEmpty = Array.isArray(declared) && declared.length === 0;
  if (!isObject(declared) && !isEmpty)
    throw new TactusError('source_invalid', `${where} must be a table of fields`);
  const given: JsonObject = isObject(declared) ? declared : {};
  const fields = readFields(given, where);
  for (const [name, field] of Object.entries(fields)) {
    const said = given[name] ?? null;
    field.required = field.default === undefined && !(isObject(said) && said['required'] === false);
  }
  return fields;
}
