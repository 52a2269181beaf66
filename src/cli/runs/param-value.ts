import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import { readJson } from '../../contract/json/read-json.js';

/** Types that a procedure can declare for a field. */
export type ParamType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'table' | 'any';

const yes = ['true', 'yes', 'y', '1'];
const no = ['false', 'no', 'n', '0'];

/**
 * What was typed after `--param name=`, as the type that the procedure declares.
 * @throws TactusError input_invalid naming the parameter and what it takes
 */
export function paramValue(name: string, text: string, type: ParamType): JsonValue {
  const wrong = (what: string): TactusError =>
    new TactusError('input_invalid', `--param ${name} takes ${what}, not ${JSON.stringify(text)}`, {
      field: name,
    });
  switch (type) {
    case 'string':
      return text;
    case 'number':
    case 'integer': {
      const number = text.trim() === '' ? NaN : Number(text);
      if (!Number.isFinite(number)) throw wrong('a number');
      if (isRounded(number, text.trim()))
        throw wrong(
          `integers up to ${Number.MAX_SAFE_INTEGER}: it would become ${number}. Declare the field as field.string {} to keep its digits`,
        );
      return number;
    }
    case 'boolean': {
      const word = text.trim().toLowerCase();
      if (!yes.includes(word) && !no.includes(word)) throw wrong('true or false');
      return yes.includes(word);
    }
    case 'any': {
      const value = parse(text);
      return value === undefined ? text : value;
    }
    case 'array': {
      const value = parse(text);
      if (value !== undefined) return value;
      if (/^\s*[[{"]/.test(text)) throw wrong('JSON (["a", "b"]) or texts with commas between');
      return text.trim() === '' ? [] : text.split(',').map((each) => each.trim());
    }
    case 'object':
    case 'table': {
      const value = parse(text);
      if (value === undefined) throw wrong('JSON ({"key": "value"})');
      return value;
    }
  }
}

/** Whether digits that stand for an integer, in whatever base, are another integer as a number. */
function isRounded(number: number, text: string): boolean {
  return /^[-+]?\d+$|^0[xob]/i.test(text) && BigInt(text.replace(/^[-+]/, '')) !== BigInt(Math.abs(number));
}

/** undefined where it is no JSON, or has a number that is too large for one. */
function parse(text: string): JsonValue | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
