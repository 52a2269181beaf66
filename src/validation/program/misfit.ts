import type { Expression } from '../syntax/ast.js';
import { fitsField, kindText, literalKind } from '../syntax/literal-kind.js';
import type { Finding } from '../rule.js';

/** A value that is written out where a field of another type is declared; null where it fits, or nobody can tell. */
export function misfit(what: string, value: Expression, type: string | null): Finding | null {
  const kind = literalKind(value);
  if (type === null || kind === null || fitsField(value, type)) return null;
  return {
    node: value,
    message: `${what} is declared as ${type}, and gets ${kindText(kind)}`,
    suggestion: 'change the value, or the declared type',
  };
}
