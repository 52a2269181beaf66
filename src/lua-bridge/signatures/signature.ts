import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  fieldSchema,
  fieldTypeOf,
  readFields,
  type Field,
  type Fields,
  type FieldType,
} from '../kernel/index.js';

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

/** What a model is given, and what it is to give. */
interface SignatureFields {
  input: Fields;
  /** In the order in which the model gives them. */
  output: Fields;
  /** Inputs that hold what was said before. */
  histories: readonly string[];
}

/** One side of the arrow. */
interface Side {
  fields: Fields;
  /** Fields of the type `dspy.History`. */
  histories: string[];
}

/**
 * Reads `question -> answer` and `text: str -> score: float, labels: list[str]`. A field without a type is a text.
 * @throws TactusError source_invalid
 */
export function readSignatureText(text: string): SignatureFields {
  const tokens = new SignatureTokens(text);
  if (tokens.count('->') !== 1)
    throw new TactusError(
      'source_invalid',
      `Invalid signature format: must contain exactly one '->' separator, as "question -> answer", got ${JSON.stringify(text.slice(0, 120))}`,
    );
  const names = new Set<string>();
  const { fields: input, histories } = readSide(tokens, names);
  tokens.expect('->');
  const { fields: output, histories: none } = readSide(tokens, names);
  if (tokens.next !== null) throw tokens.invalid('a comma expected');
  if (none.length > 0) throw tokens.invalid(`${none.join(', ')}: a model gives no history`);
  return { input, output, histories };
}

function readSide(tokens: SignatureTokens, names: Set<string>): Side {
  if (tokens.next === null || tokens.next === '->')
    throw tokens.invalid("Signature cannot have empty fields on either side of '->'");
  const side: Side = { fields: {}, histories: [] };
  do {
    const name = tokens.take(/^[A-Za-z_]\w*$/, 'the name of a field');
    if (names.has(name)) throw tokens.invalid(`Signature contains duplicate field names: ${name}`);
    names.add(name);
    const field = tokens.skip(':') ? readType(tokens) : untyped();
    if (field === null) side.histories.push(name);
    else setOwn(side.fields, name, field);
  } while (tokens.skip(','));
  return side;
}

const untyped = (): Field => ({ type: 'string', required: true });

/** null for what was said before. */
function readType(tokens: SignatureTokens): Field | null {
  const isHistory = tokens.skip('dspy.History') || tokens.skip('History');
  return isHistory ? null : readAnnotation(tokens);
}

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
function readAnnotation(tokens: SignatureTokens): Field {
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

const pattern = /\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_][\w.]*|-?\d+(?:\.\d+)?|->|[^\s])/gy;

/** The words and signs of a signature, read one after the other. */
class SignatureTokens {
  private readonly all: readonly string[];
  private at = 0;

  constructor(private readonly text: string) {
    this.all = [...text.matchAll(pattern)].map(([, token = '']) => token);
  }

  /** null at the end. */
  get next(): string | null {
    return this.all[this.at] ?? null;
  }

  count(token: string): number {
    return this.all.filter((each) => each === token).length;
  }

  /** Goes on where the next token is this one. */
  skip(token: string): boolean {
    const isNext = this.next === token;
    if (isNext) this.at += 1;
    return isNext;
  }

  /** @throws TactusError source_invalid where another token is next */
  expect(token: string): void {
    if (!this.skip(token)) throw this.invalid(`${JSON.stringify(token)} expected`);
  }

  /** @throws TactusError source_invalid where the next token is none of this kind */
  take(kind: RegExp, wanted: string): string {
    const { next } = this;
    if (next === null || !kind.test(next)) throw this.invalid(`${wanted} expected`);
    this.at += 1;
    return next;
  }

  invalid(problem: string): TactusError {
    const near = this.next === null ? 'at its end' : `near ${this.next}`;
    return new TactusError(
      'source_invalid',
      `Invalid signature ${JSON.stringify(this.text.slice(0, 120))}: ${problem} ${near}`,
    );
  }
}

/** Fields as Lua may look at them: `{question = {type = "string", required = true}}`. */
export function shownFields(fields: Fields): JsonObject {
  const shown: JsonObject = {};
  for (const [name, field] of Object.entries(fields))
    setOwn(shown, name, { ...fieldSchema(field), required: field.required });
  return shown;
}
