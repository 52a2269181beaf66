import { getOwn, type JsonValue } from '../../contract/json/json.js';
import { fieldTypeOf, type Field, type FieldType } from '../values/schema.js';
import type { SignatureTokens } from './signature-tokens.js';

/** Types of Python that have another name here. */
const pythonTypes: Readonly<Record<string, FieldType>> = {
  ...{ List: 'array', Sequence: 'array', Tuple: 'array', tuple: 'array', Set: 'array', set: 'array' },
  ...{ Dict: 'object', Any: 'any' },
};

const constants: Readonly<Record<string, JsonValue>> = { True: true, False: false, None: null };

/** A type within types within types: what a program reads of them must end. */
const deepest = 16;

const name = /^[A-Za-z_]/;

/**
 * Reads a type as Python writes it: `str`, `list[str]`, `Optional[int]`, `int | None`, `Literal["a", "b"]`. What may be
 * `None` isn't required.
 * @throws TactusError source_invalid where there is none, or it isn't known
 */
export function readAnnotation(tokens: SignatureTokens): Field {
  return oneOf(readWays(tokens, deepest));
}

/** The alternatives of a type; null stands for `None`. */
function readWays(tokens: SignatureTokens, depth: number): (Field | null)[] {
  if (depth === 0) throw tokens.invalid('its types are nested too deep');
  const ways = [readOne(tokens, depth)];
  while (tokens.skip('|')) ways.push(readOne(tokens, depth));
  return ways.flat();
}

function readOne(tokens: SignatureTokens, depth: number): (Field | null)[] {
  const type = tokens.take(name, 'a type').replace(/^typing\./, '');
  if (type === 'None') return [null];
  if (type === 'Literal') return [literal(readItems(tokens, () => readConstant(tokens)))];
  const inner = tokens.next === '[' ? readItems(tokens, () => readWays(tokens, depth - 1)) : [];
  if (type === 'Union') return inner.flat();
  if (type === 'Optional') return [...inner.flat(), null];
  const known = fieldTypeOf(type) ?? getOwn(pythonTypes, type);
  if (known === undefined) throw tokens.invalid(`the type ${type} is not known`);
  const [items] = inner;
  const isList = known === 'array' && !/^tuple$/i.test(type) && items !== undefined;
  return [{ type: known, required: true, ...(isList ? { items: oneOf(items) } : {}) }];
}

function readItems<T>(tokens: SignatureTokens, readItem: () => T): T[] {
  tokens.expect('[');
  const items = [readItem()];
  while (tokens.skip(',')) items.push(readItem());
  tokens.expect(']');
  return items;
}

function readConstant(tokens: SignatureTokens): JsonValue {
  const token = tokens.take(
    /^(["'].*["']|-?\d.*|True|False|None)$/s,
    'a text, a number, True, False or None',
  );
  if (/^["']/.test(token)) return token.slice(1, -1).replace(/\\(.)/gs, '$1');
  return Object.hasOwn(constants, token) ? (constants[token] ?? null) : Number(token);
}

function literal(values: JsonValue[]): Field {
  const allowed = values.filter((value) => value !== null);
  const is = (type: string): boolean => allowed.every((value) => typeof value === type);
  const numbers = allowed.every(Number.isInteger) ? 'integer' : 'number';
  const type = is('string') ? 'string' : is('boolean') ? 'boolean' : is('number') ? numbers : 'any';
  return { type, required: allowed.length === values.length, enum: allowed };
}

/** Of several types, what all of them are; anything where they differ. */
function oneOf(ways: readonly (Field | null)[]): Field {
  const there = ways.filter((way) => way !== null);
  const [only = null, ...others] = there;
  const field: Field = only !== null && others.length === 0 ? only : { type: 'any', required: true };
  const isRequired = there.length === ways.length && there.every(({ required }) => required);
  return { ...field, required: isRequired };
}
