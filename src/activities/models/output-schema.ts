import { Validator, type OutputUnit } from '@cfworker/json-schema';
import { TactusError } from '../../contract/errors.js';
import {
  defined,
  exactText,
  getOwn,
  isObject,
  readJson,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/json.js';
import { Fault } from '../retries/failures.js';

const typeNames = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** Their errors only say that something inside is wrong, which has an error of its own. */
const outerKeywords = ['properties', 'additionalProperties', 'items'];

/** As many as a model needs to mend its answer. */
const mostMistakes = 5;

/** As many of one answer are looked at. */
const mostValues = 20;

/** What is checked by regular expressions. */
const textKeywords = ['pattern', 'patternProperties', 'format'];

/** A schema as providers take it, and the way back from what they answer. */
export interface OutputSchema {
  /** Its root is an object: providers take no other. */
  schema: JsonObject;
  /**
   * The answer as JSON text that follows the schema that was asked for.
   * @throws Fault, retryable: another sample may follow it
   */
  read(text: string): string;
}

/**
 * Makes a schema ready for a model call. Where its root isn't an object it travels as the member `value` of one.
 * @throws TactusError model_call_failed where no provider could follow the schema
 */
export function prepareOutputSchema(asked: JsonObject): OutputSchema {
  const checked = mapSchema(asked, checkSchema);
  const isWrapped = asked['type'] !== 'object' && !isObject(asked['properties']);
  const schema = isWrapped ? wrap(asked) : asked;
  const validator = new Validator(isWrapped ? wrap(checked) : checked, '2020-12');
  return {
    schema,
    read(text) {
      let mistake: string | null = null;
      for (const { value: given, text: json } of valuesIn(text)) {
        const value = typedFields(given, schema);
        const found = findMistake(validator, value);
        mistake ??= found;
        if (found !== null) continue;
        if (isWrapped && isObject(value)) return JSON.stringify(value['value']);
        return value === given ? exactText(json) : JSON.stringify(value);
      }
      throw new Fault(`didn't follow the output schema: ${mistake}`, { retryable: true, isAnswer: true });
    },
  };
}

function findMistake(validator: Validator, value: JsonValue): string | null {
  try {
    const { valid, errors } = validator.validate(value);
    if (valid) return null;
    const inner = errors.filter(({ keyword }) => !outerKeywords.includes(keyword));
    return (inner.length === 0 ? errors : inner).slice(0, mostMistakes).map(mistakeText).join('; ');
  } catch (error) {
    // A reference that leads nowhere shows only now.
    throw refusal(error instanceof Error ? error.message : String(error));
  }
}

function mistakeText({ keyword, instanceLocation, error }: OutputUnit): string {
  return `${instanceLocation}: ${keyword === 'false' ? "isn't asked for" : error.replace(/\.$/, '')}`;
}

/**
 * Refuses what no provider follows. Drops regular expressions: matching them here could block the worker for good, and
 * the run checks texts within its own budget.
 */
function checkSchema(schema: JsonObject): JsonObject {
  const { $ref: reference, type, properties } = schema;
  if (typeof reference === 'string' && !reference.startsWith('#'))
    throw refusal(`the reference ${JSON.stringify(reference)} leads out of it`);
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const unknown = types.find((one) => typeof one !== 'string' || !typeNames.includes(one));
  if (unknown !== undefined) throw refusal(`${JSON.stringify(unknown)} is no type`);
  if (properties !== undefined && !isObject(properties)) throw refusal('"properties" must be an object');
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !textKeywords.includes(keyword)));
}

function refusal(reason: string): TactusError {
  return new TactusError('model_call_failed', `The output schema can't be used: ${reason}`);
}

function wrap({ $defs, definitions, ...value }: JsonObject): JsonObject {
  return {
    type: 'object',
    properties: { value },
    required: ['value'],
    additionalProperties: false,
    ...defined({ $defs, definitions }),
  };
}

/** What the answer may be: all of it, or what stands in it, the last one first. Models draft, and say more around it. */
function valuesIn(text: string): { value: JsonValue; text: string }[] {
  try {
    return [{ value: readJson(text), text }];
  } catch {
    const found = jsonInText(text).slice(-mostValues).reverse();
    if (found.length > 0) return found;
    const shown = text.trim() === '' ? 'with nothing' : 'with text';
    throw new Fault(`answered ${shown} where JSON was asked for`, { retryable: true, isAnswer: true });
  }
}

/**
 * Whether OpenAI's strict mode takes the schema: each object in it closed, with all members required. Others are
 * refused there with status 400, so they go without the mode and are checked when the answer is here.
 */
export function isStrictSchema(schema: JsonObject): boolean {
  let isStrict = true;
  mapSchema(schema, (inner) => {
    const { properties, required, additionalProperties } = inner;
    if (inner['type'] !== 'object' && properties === undefined) return inner;
    const names = isObject(properties) ? Object.keys(properties) : [];
    const needed = Array.isArray(required) ? required : [];
    if (additionalProperties !== false || !names.every((name) => needed.includes(name))) isStrict = false;
    return inner;
  });
  return isStrict;
}

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const single = [
  'items',
  'additionalProperties',
  'additionalItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** A copy of the JSON Schema with `change` applied to each schema in it, the innermost first, and to itself last. */
export function mapSchema(schema: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const inner = (value: JsonValue): JsonValue => (isObject(value) ? mapSchema(value, change) : value);
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (Array.isArray(value) && lists.includes(keyword)) setOwn(copy, keyword, value.map(inner));
    else if (isObject(value) && single.includes(keyword)) setOwn(copy, keyword, inner(value));
    else if (isObject(value) && named.includes(keyword)) setOwn(copy, keyword, mapMembers(value, inner));
    else setOwn(copy, keyword, value);
  }
  return change(copy);
}

function mapMembers(members: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  const copy: JsonObject = {};
  for (const [name, member] of Object.entries(members)) setOwn(copy, name, change(member));
  return copy;
}

/**
 * Values that a model wrote as text, `"3"` or `"true"`, in the types that the schema declares for their fields; the same
 * object where there are none.
 */
function typedFields(value: JsonValue, { properties = null }: JsonObject): JsonValue {
  if (!isObject(value) || !isObject(properties)) return value;
  const typed: JsonObject = {};
  let isSame = true;
  for (const [name, given] of Object.entries(value)) {
    const field = getOwn(properties, name);
    const type = isObject(field) ? field['type'] : null;
    const read = typeof given === 'string' && typeof type === 'string' ? ofType(given, type) : given;
    isSame &&= read === given;
    setOwn(typed, name, read);
  }
  return isSame ? value : typed;
}

function ofType(text: string, type: string): JsonValue {
  const word = text.trim();
  switch (type) {
    case 'number':
      return /^[-+]?\d+(\.\d+)?([eE][-+]?\d{1,2})?$/.test(word) ? exact(Number(word), text) : text;
    case 'integer':
      return /^[-+]?\d+(\.0+)?$/.test(word) ? exact(Number(word), text) : text;
    case 'boolean':
      return /^(true|false)$/i.test(word) ? word.toLowerCase() === 'true' : text;
    case 'array':
    case 'object':
      return parsed(word, type) ?? text;
    default:
      return text;
  }
}

/** What would be another number stays text, which the schema refuses. */
function exact(number: number, text: string): JsonValue {
  return Number.isFinite(number) && (Number.isSafeInteger(number) || !/^[-+]?\d+(\.0+)?$/.test(text.trim()))
    ? number
    : text;
}

function parsed(text: string, type: 'array' | 'object'): JsonValue {
  try {
    const value = readJson(text);
    return type === 'array' ? (Array.isArray(value) ? value : null) : isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** How many times the length of a text is read in all: braces that close nothing would else be read to the end each. */
const mostReadings = 20;

/**
 * The objects and lists that stand in a text, in order, whatever is said around them: in fences of Markdown, say, or after
 * words. None that stands in another one is among them.
 */
export function jsonInText(text: string): { value: JsonValue; text: string }[] {
  const found: { value: JsonValue; text: string }[] = [];
  let left = mostReadings * text.length;
  for (let at = nextStart(text, 0); at >= 0 && left > 0;) {
    const end = endOf(text, at);
    left -= (end < 0 ? text.length : end) - at;
    const json = end < 0 ? '' : text.slice(at, end);
    const value = valueOf(json);
    if (value !== undefined) found.push({ value, text: json });
    at = nextStart(text, value === undefined ? at + 1 : end);
  }
  return found;
}

function nextStart(text: string, from: number): number {
  const at = text.slice(from).search(/[{[]/);
  return at < 0 ? -1 : from + at;
}

/** Where what is opened at `start` is closed; -1: it isn't. */
function endOf(text: string, start: number): number {
  const open: string[] = [];
  for (let at = start; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"') {
      at = endOfString(text, at);
      if (at < 0) return -1;
    } else if (character === '{') open.push('}');
    else if (character === '[') open.push(']');
    else if (character === '}' || character === ']') {
      if (open.pop() !== character) return -1;
      if (open.length === 0) return at + 1;
    }
  }
  return -1;
}

/** Of the quote that closes it; -1: none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

function valueOf(json: string): JsonValue | undefined {
  try {
    return json === '' ? undefined : readJson(json);
  } catch {
    return undefined;
  }
}
