import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { TactusError } from '../command.js';
import { isObject, readJson, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { closest } from '../../validation/program/did-you-mean.js';

export interface GivenInput {
  /** `--param k=v`, as typed. */
  param: readonly string[];
  /** `--input`: JSON, `@file` or `-`. */
  input?: string | undefined;
}

/**
 * The input that the flags make: `--input`, with each `--param` over it, converted as the procedure declares it
 * (`types`). What isn't declared is JSON, or else the text that it is.
 * @throws TactusError usage, input_invalid
 */
export async function readInput(
  given: GivenInput,
  types: Record<string, ParamType> | null,
): Promise<JsonObject> {
  const input = given.input === undefined ? {} : await inputObject(given.input);
  for (const param of given.param) {
    const at = param.indexOf('=');
    if (at < 1) throw new TactusError('usage', `--param takes name=value, not ${JSON.stringify(param)}`);
    const name = param.slice(0, at);
    setOwn(input, name, paramValue(name, param.slice(at + 1), typeOf(name, types)));
  }
  return input;
}

/** Of a procedure that declares no input any is taken. */
function typeOf(name: string, types: Record<string, ParamType> | null): ParamType {
  if (types === null || Object.keys(types).length === 0) return 'any';
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (type !== undefined) return type;
  const names = Object.keys(types);
  const meant = closest(name, names);
  const instead = meant === null ? `there are ${names.join(', ')}` : `is ${meant} meant?`;
  throw new TactusError('input_invalid', `--param ${name}: the procedure has no such input; ${instead}`, {
    field: name,
  });
}

/**
 * What stands for a value: JSON, `@file` or `-` for stdin, which must be JSON too; else the text that it is.
 * @throws TactusError usage
 */
export async function readValue(given: string, what: string): Promise<JsonValue> {
  if (given === '-' || given.startsWith('@')) return parse(await readText(given, what), given, what);
  return paramValue(what, given, 'any');
}

/**
 * The text that `-` (stdin) or `@file` stands for, or that it is itself.
 * @throws TactusError usage where it can't be read, or is no UTF-8
 */
export async function readText(given: string, what: string): Promise<string> {
  if (given === '-') return readUtf8(readStdin, 'stdin', what);
  const file = given.slice(1);
  return given.startsWith('@') ? readUtf8(() => readFile(file), file, what) : given;
}

async function inputObject(given: string): Promise<JsonObject> {
  const value = parse(await readText(given, '--input'), given, '--input');
  if (!isObject(value))
    throw new TactusError('input_invalid', '--input must be a JSON object such as {"name": "value"}');
  return value;
}

let stdin: Promise<Buffer> | undefined;

/** It can be read once, and may be wanted for several files. */
function readStdin(): Promise<Buffer> {
  return (stdin ??= buffer(process.stdin));
}

async function readUtf8(read: () => Promise<Buffer>, name: string, what: string): Promise<string> {
  const bytes = await read().catch((error: unknown) => {
    throw new TactusError(
      'usage',
      `${what}: ${name} can't be read (${error instanceof Error ? error.message : String(error)})`,
    );
  });
  try {
    // What is no UTF-8 must not get to a run as something else.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TactusError('usage', `${what}: ${name} is not UTF-8; save it as such`);
  }
}

function parse(text: string, given: string, what: string): JsonValue {
  try {
    return readJson(text);
  } catch (error) {
    const hint = given === '-' || given.startsWith('@') ? '' : '; write JSON, @file or - for stdin';
    throw new TactusError(
      'usage',
      `${what} is not JSON: ${error instanceof Error ? error.message : String(error)}${hint}`,
    );
  }
}

/** Types that a procedure can declare for a field. */
type ParamType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'table' | 'any';

const yes = ['true', 'yes', 'y', '1'];
const no = ['false', 'no', 'n', '0'];

/**
 * What was typed after `--param name=`, as the type that the procedure declares.
 * @throws TactusError input_invalid naming the parameter and what it takes
 */
export function paramValue(name: string, text: string, type: ParamType): JsonValue {
  const mismatch = (what: string): TactusError =>
    new TactusError('input_invalid', `--param ${name} takes ${what}, not ${JSON.stringify(text)}`, {
      field: name,
    });
  switch (type) {
    case 'string':
      return text;
    case 'number':
    case 'integer': {
      const number = text.trim() === '' ? NaN : Number(text);
      if (!Number.isFinite(number)) throw mismatch('a number');
      if (isRounded(number, text.trim()))
        throw mismatch(
          `integers up to ${Number.MAX_SAFE_INTEGER}: it would become ${number}. Declare the field as field.string {} to keep its digits`,
        );
      return number;
    }
    case 'boolean': {
      const word = text.trim().toLowerCase();
      if (!yes.includes(word) && !no.includes(word)) throw mismatch('true or false');
      return yes.includes(word);
    }
    case 'any': {
      const value = parseJson(text);
      return value === undefined ? text : value;
    }
    case 'array': {
      const value = parseJson(text);
      if (value !== undefined) return value;
      if (/^\s*[[{"]/.test(text)) throw mismatch('JSON (["a", "b"]) or texts with commas between');
      return text.trim() === '' ? [] : text.split(',').map((each) => each.trim());
    }
    case 'object':
    case 'table': {
      const value = parseJson(text);
      if (value === undefined) throw mismatch('JSON ({"key": "value"})');
      return value;
    }
  }
}

/** Whether digits that stand for an integer, in whatever base, are another integer as a number. */
function isRounded(number: number, text: string): boolean {
  return /^[-+]?\d+$|^0[xob]/i.test(text) && BigInt(text.replace(/^[-+]/, '')) !== BigInt(Math.abs(number));
}

/** undefined where it is no JSON, or has a number that is too large for one. */
function parseJson(text: string): JsonValue | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
