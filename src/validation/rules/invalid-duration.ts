import { TactusError } from '../../contract/errors.js';
import { readDuration } from '../../lua-bridge/index.js';
import { getOwn } from '../../contract/json/json.js';
import { namedFields, stringValue, type Expression } from '../syntax/ast.js';
import { constructorTables } from '../syntax/constructor-tables.js';
import { numberOf } from '../syntax/literal-kind.js';
import type { Rule } from '../rule.js';
import { signatureOf } from '../../language/signature.js';
import { kindsOf } from '../../language/type-notation.js';

/** A time that is no time: `"soon"`, `-1`, `"5 minutes"`. */
export const invalidDuration: Rule = {
  code: 'invalid_duration',
  severity: 'error',
  *check(file, program) {
    const fields = constructorTables(file, program).flatMap(({ table, type }) =>
      namedFields(table).flatMap(({ key, value }) =>
        kindsOf(getOwn(type.keys, key) ?? 'any') === 'duration' ? [{ what: key, value }] : [],
      ),
    );
    const args = file.calls.flatMap(({ callee, args: given }) =>
      (signatureOf(callee)?.parameters ?? []).flatMap(({ type }, i) => {
        const value = given[i];
        return value !== undefined && /(^|\|)tactus\.Duration\b/.test(type) ? [{ what: callee, value }] : [];
      }),
    );
    for (const { what, value } of [...fields, ...args]) {
      const message = problemOf(value, what);
      if (message !== null)
        yield { node: value, message, suggestion: 'write seconds, or "30s", "5m", "24h", "7d"' };
    }
  },
};

function problemOf(value: Expression, what: string): string | null {
  const given = stringValue(value) ?? numberOf(value);
  if (given === null) return null;
  try {
    readDuration(given, what, 'source_invalid');
    return null;
  } catch (error) {
    if (error instanceof TactusError) return error.message;
    throw error;
  }
}
