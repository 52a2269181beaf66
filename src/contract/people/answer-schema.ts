import { Validator, type Schema } from '@cfworker/json-schema';
import { isEmptyList, isObject, jsonSize, setOwn, type JsonObject, type JsonValue } from '../json/json.js';

/** Longest text that a pattern is tried on, in UTF-16 units. */
const longestMatched = 200;

/** Places at which a match may go on in several ways; so many at most, on texts of that length, end in no time. */
const mostChoices = 3;

/**
 * Why a regular expression may run for ever, or isn't one; null where it is safe. JavaScript can't stop a match, and a
 * run that never ends its turn is tried again for ever. Refused is what repeats a group, and what has many choices.
 */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > longestMatched) return `is longer than ${longestMatched} characters`;
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  // Escapes, classes and the openings of groups stand for one thing each.
  const plain = pattern
    .replace(/\\(?:[pPu]\{[^}]*\}|k<[^>]*>|[^])/g, 'x')
    .replace(/\[[^\]]*\]/g, 'x')
    .replace(/\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/g, '(');
  if (/\)(?:[*+]|\{)/.test(plain)) return 'repeats a group, and might run for ever';
  const [first = ''] = plain;
  const repeats = plain.replace(/\{\d+\}/g, '').match(/[*+?]|\{\d+,\d*\}/g)?.length ?? 0;
  const lazy = plain.match(/[*+?}]\?/g)?.length ?? 0;
  const groups = plain.split(/[()]/).filter((part) => part.includes('|')).length;
  const choices = repeats - lazy + groups + (first === '^' ? 0 : 1);
  const tooMany = choices > mostChoices || hasLongRepeat(plain);
  return tooMany ? 'has more repetitions and alternatives than can be tried in no time' : null;
}

function hasLongRepeat(plain: string): boolean {
  return Array.from(plain.matchAll(/\{(\d+)/g), ([, count]) => Number(count)).some((n) => n > longestMatched);
}

/**
 * JSON Schema for the answers of people. It is checked inside of a run, where nothing may take long: no references,
 * which can multiply without end, only patterns that are safe, and a bound on the work.
 */

const maxSchemaBytes = 32 * 1024;
/** Members of the schema times members of the value: some milliseconds. */
const mostWork = 2_000_000;
/** Patterns of the schema times characters of the value: a second, if all of it is meant to take long. */
const mostMatched = 2_000;

const refused = ['$ref', '$dynamicRef', '$recursiveRef', '$id', 'id', '$schema'];
const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const bySchema = ['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'items', 'additionalItems'];
const schemaLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const schemaMaps = ['properties', 'patternProperties', 'dependentSchemas'];
const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const booleanOrSchema = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', ...bySchema];

/** Why answers can't be checked by this schema; null where they can. */
export function schemaProblem(schema: JsonValue): string | null {
  if (jsonSize(schema) > maxSchemaBytes) return `is larger than ${maxSchemaBytes / 1024} KiB`;
  const problem = problemIn(schema, '');
  if (problem !== null) return problem;
  try {
    new Validator(cleaned(schema));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Where the value doesn't fit; null where it does. */
export function schemaMismatch(schema: JsonValue, value: JsonValue): string | null {
  const text = JSON.stringify(schema);
  const patterns = text.match(/"(?:pattern|patternProperties|format)":/g)?.length ?? 0;
  const lengths = patterns === 0 ? [] : textsOf(value).map(({ length }) => length);
  const most = Math.max(0, ...lengths);
  if (most > longestMatched || patterns * lengths.reduce((sum, each) => sum + each, 0) > mostMatched)
    return `it has more text than patterns are tried on: ${longestMatched} characters each`;
  const size = membersOf(value);
  const isUnique = text.includes('"uniqueItems":true');
  if (membersOf(schema) * size > mostWork || (isUnique && size * size > mostWork))
    return 'it has more parts than can be checked';
  try {
    const { valid, errors } = new Validator(cleaned(schema), '2020-12').validate(bare(value));
    const innermost = errors.at(-1);
    if (valid) return null;
    const place = innermost?.instanceLocation.replace(/^#\/?/, '') ?? '';
    return `${place === '' ? '' : `${place}: `}${innermost?.error ?? 'it is of another form'}`;
  } catch (error) {
    return `it can't be checked: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function problemIn(schema: JsonValue, path: string): string | null {
  if (typeof schema === 'boolean' || isEmptyList(schema)) return null;
  const at = (problem: string): string => (path === '' ? problem : `at ${path.slice(1)} ${problem}`);
  if (!isObject(schema)) return at('is no schema');
  for (const [key, value] of Object.entries(schema)) {
    const problem = keywordProblem(key, value, `${path}/${key}`);
    if (problem !== null) return problem.startsWith('at ') ? problem : at(problem);
  }
  return null;
}

function keywordProblem(key: string, value: JsonValue, path: string): string | null {
  if (refused.includes(key)) return `has ${key}, which isn't followed here`;
  if (key === 'type') {
    const named = Array.isArray(value) ? value : [value];
    return named.every((name) => typeof name === 'string' && types.includes(name))
      ? null
      : `has the type ${JSON.stringify(value)}, which is none`;
  }
  if (key === 'pattern') {
    const problem = typeof value === 'string' ? patternProblem(value) : 'is no text';
    return problem === null ? null : `has a pattern that ${problem}`;
  }
  if (bounds.includes(key)) return typeof value === 'number' ? null : `has a ${key} that is no number`;
  if (counts.includes(key)) return Number.isInteger(value) ? null : `has a ${key} that is no whole number`;
  if (key === 'enum') return Array.isArray(value) ? null : 'has an enum that is no list';
  if (key === 'required') return isNames(value) ? null : 'has required that is no list of names';
  if (booleanOrSchema.includes(key)) return problemIn(value, path);
  if (schemaLists.includes(key))
    return Array.isArray(value)
      ? first(value.map((each, i) => problemIn(each, `${path}/${i}`)))
      : 'has no list';
  if (schemaMaps.includes(key)) return mapProblem(key, value, path);
  return null;
}

function mapProblem(key: string, value: JsonValue, path: string): string | null {
  if (isEmptyList(value)) return null;
  if (!isObject(value)) return `has ${key} that are no table`;
  const patterns = key === 'patternProperties' ? Object.keys(value).map(patternProblem) : [];
  const unsafe = first(patterns);
  if (unsafe !== null) return `has a pattern that ${unsafe}`;
  return first(Object.entries(value).map(([name, each]) => problemIn(each, `${path}/${name}`)));
}

function first(problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}

function isNames(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** An empty table of Lua says neither list nor object. */
function cleaned(schema: JsonValue): Schema {
  return (isEmptyList(schema) ? {} : schema) as Schema;
}

/** A copy whose objects have no prototype: `toString` is a member only where the answer has one. */
function bare(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(bare);
  if (!isObject(value)) return value;
  const copy = Object.create(null) as JsonObject;
  for (const [key, each] of Object.entries(value)) setOwn(copy, key, bare(each));
  return copy;
}

function membersOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + membersOf(each), 1);
}

/** All texts in a value, the names of members among them. */
function textsOf(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(textsOf)];
}
