import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { TactusError } from '../../contract/errors.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { readJson } from '../../contract/json/read-json.js';
import { closest } from '../../validation/program/did-you-mean.js';
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
  if (given === '-' || given.startsWith('@')) return parse(await textOf(given, what), given, what);
  return paramValue(what, given, 'any');
}

/**
 * The text that `-` (stdin) or `@file` stands for, or that it is itself.
 * @throws TactusError usage where it can't be read, or is no UTF-8
 */
export async function textOf(given: string, what: string): Promise<string> {
  if (given === '-') return readText(readStdin, 'stdin', what);
  const file = given.slice(1);
  return given.startsWith('@') ? readText(() => readFile(file), file, what) : given;
}

async function inputObject(given: string): Promise<JsonObject> {
  const value = parse(await textOf(given, '--input'), given, '--input');
  if (!isObject(value))
    throw new TactusError('input_invalid', '--input must be a JSON object such as {"name": "value"}');
  return value;
}

let stdin: Promise<Buffer> | undefined;

/** It can be read once, and may be wanted for several files. */
function readStdin(): Promise<Buffer> {
  return (stdin ??= buffer(process.stdin));
}

async function readText(read: () => Promise<Buffer>, name: string, what: string): Promise<string> {
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
