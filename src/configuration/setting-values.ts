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

/** Something that is wrong with a setting: where it stands, by the names of settings, and what is wrong. */
export interface SettingProblem {
  path: string[];
  message: string;
}

/** What a schema says of settings that it refuses; each unknown one by itself. */
export function schemaProblems(
  issues: readonly { path: readonly PropertyKey[]; message: string; keys?: readonly string[] }[],
): SettingProblem[] {
  return issues.flatMap(({ path, message, keys }) => {
    const names = path.map(String);
    if (keys === undefined) return [{ path: names, message }];
    return keys.map((key) => ({ path: [...names, key], message: 'there is no such setting' }));
  });
}
