import { readFileSync } from 'node:fs';
import { TactusError } from '../contract/errors.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../contract/json.js';
import { paramValue, type ParamType } from './param-value.js';

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
export function readInput(given: GivenInput, types: Record<string, ParamType> | null): JsonObject {
  const input = given.input === undefined ? {} : inputObject(given.input);
  for (const param of given.param) {
    const at = param.indexOf('=');
    if (at < 1) throw new TactusError('usage', `--param takes name=value, not ${JSON.stringify(param)}`);
    const name = param.slice(0, at);
    const type = types !== null && Object.hasOwn(types, name) ? types[name] : undefined;
    setOwn(input, name, paramValue(name, param.slice(at + 1), type ?? 'any'));
  }
  return input;
}

/**
 * What stands for a value: JSON, `@file` or `-` for stdin, which must be JSON too; else the text that it is.
 * @throws TactusError usage
 */
export function readValue(given: string, what: string): JsonValue {
  if (given === '-' || given.startsWith('@')) return parse(textOf(given, what), given, what);
  return paramValue(what, given, 'any');
}

function textOf(given: string, what: string): string {
  if (given === '-') return readText(0, 'stdin', what);
  return given.startsWith('@') ? readText(given.slice(1), given.slice(1), what) : given;
}

function inputObject(given: string): JsonObject {
  const value = parse(textOf(given, '--input'), given, '--input');
  if (!isObject(value))
    throw new TactusError('input_invalid', '--input must be a JSON object such as {"name": "value"}');
  return value;
}

function readText(file: string | number, name: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new TactusError(
      'usage',
      `${what}: ${name} can't be read (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

function parse(text: string, given: string, what: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    const hint = given === '-' || given.startsWith('@') ? '' : '; write JSON, @file or - for stdin';
    throw new TactusError(
      'usage',
      `${what} is not JSON: ${error instanceof Error ? error.message : String(error)}${hint}`,
    );
  }
}
