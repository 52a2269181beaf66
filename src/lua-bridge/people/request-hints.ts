import type { RequestHints } from '../../contract/people/human-request.js';
import type { JsonObject } from '../../contract/json/json.js';
import { invalid } from './human-fields.js';

const texts = ['label', 'placeholder', 'input_type'] as const;
const switches = ['multiline', 'required'] as const;
const longest = 500;

/**
 * How a form for the answer looks; undefined where the call says nothing of it.
 * @throws TactusError human_request_invalid naming the field
 */
export function readHints(call: string, fields: JsonObject): RequestHints | undefined {
  const hints: RequestHints = {};
  for (const name of texts) {
    const given = fields[name] ?? null;
    if (given === null) continue;
    if (typeof given !== 'string' || given.length > longest)
      throw invalid(call, `needs ${name} as a text of ${longest} characters at most`);
    hints[name] = given;
  }
  for (const name of switches) {
    const given = fields[name] ?? null;
    if (given === null) continue;
    if (typeof given !== 'boolean')
      throw invalid(call, `needs ${name} as true or false, got ${JSON.stringify(given)}`);
    hints[name] = given;
  }
  return Object.keys(hints).length === 0 ? undefined : hints;
}
