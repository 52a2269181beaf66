import { TactusError } from '../contract/errors.js';
import { isObject, setOwn, type JsonValue } from '../contract/json/json.js';
import { effectClasses, type EffectClass } from '../contract/tools/outside-tool.js';

/** Values of settings, read as what they must be. Each throws TactusError config_invalid, naming where it stands. */

export function readText(given: JsonValue, where: string): string {
  if (typeof given === 'string' && given !== '') return given;
  throw configInvalid(`${where} must be text`);
}

export function readTexts(given: JsonValue, where: string): string[] {
  if (Array.isArray(given)) return given.map((each, i) => readText(each, `${where}[${i + 1}]`));
  throw configInvalid(`${where} must be a list of texts`);
}

/** Numbers and booleans are texts to a program's environment. */
export function readTable(given: JsonValue, where: string): Record<string, string> {
  if (!isObject(given)) throw configInvalid(`${where} must be a table of texts`);
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'object') throw configInvalid(`${where}.${name} must be text`);
    setOwn(texts, name, String(value));
  }
  return texts;
}

export function configInvalid(problem: string): TactusError {
  return new TactusError('config_invalid', problem);
}

export function readEffect(given: JsonValue, where: string): EffectClass {
  const known = effectClasses.find((each) => each === given);
  if (known === undefined) throw configInvalid(`${where} must be one of ${effectClasses.join(', ')}`);
  return known;
}

/** Where something listens on this machine. */
export interface ListenAddress {
  host: string;
  port: number;
}

/** null where the text is no address with a port. */
export function readListenAddress(text: string): ListenAddress | null {
  const [, bracketed, plain, digits = ''] =
    /^(?:(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):)?(\d{1,5})$/.exec(text.trim()) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) return null;
  return { host: bracketed ?? plain ?? '127.0.0.1', port };
}

/** `0.0.0.0:8701`, `[::]:8701` */
export function addressText({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Something that is wrong with a setting: where it stands, by the names of settings, and what is wrong. */
export interface SettingProblem {
  path: string[];
  message: string;
}

/** As the schemas of zod tell it. */
interface SchemaIssue {
  code: string;
  path: readonly PropertyKey[];
  message: string;
  keys?: readonly string[];
  expected?: string;
  minimum?: number | bigint;
  maximum?: number | bigint;
  inclusive?: boolean;
  origin?: string;
  values?: readonly unknown[];
}

/** What a schema says of settings that it refuses; each unknown one by itself. */
export function schemaProblems(issues: readonly SchemaIssue[]): SettingProblem[] {
  return issues.flatMap((issue) => {
    const names = issue.path.map(String);
    if (issue.keys === undefined) return [{ path: names, message: issueText(issue) }];
    return issue.keys.map((key) => ({ path: [...names, key], message: 'there is no such setting' }));
  });
}

const kinds: Readonly<Record<string, string>> = {
  ...{ string: 'text', number: 'a number', int: 'an integer', boolean: 'true or false' },
  ...{ array: 'a list', object: 'a table', record: 'a table' },
};

/** In the words of the other settings; what a schema says in words of its own stays. */
function issueText({
  code,
  message,
  expected = '',
  minimum,
  maximum,
  inclusive,
  origin,
  values,
}: SchemaIssue): string {
  const of = { string: ' characters', array: ' entries' }[origin ?? ''] ?? '';
  switch (code) {
    case 'invalid_type':
      return `must be ${kinds[expected] ?? expected}`;
    case 'too_big':
      return of === '' ? `must be ${maximum} at most` : `has more than ${maximum}${of}`;
    case 'too_small':
      if (of !== '') return minimum === 1 ? 'is empty' : `has fewer than ${minimum}${of}`;
      return inclusive === false ? `must be above ${minimum}` : `must be ${minimum} or more`;
    case 'invalid_value':
      return `must be ${(values ?? []).length > 1 ? 'one of ' : ''}${(values ?? []).join(', ')}`;
    default:
      return message;
  }
}
