import { canonicalJson, type JsonValue } from '../../contract/json/json.js';
import { errorText } from '../error-text.js';
import { shown } from '../evaluations/expected-value.js';
import type { Facts } from './step-definition.js';

/** Where a second run on the log of a first one went another way, with both sides; null: nowhere. */
export function compareRuns(first: Facts, second: Facts): string | null {
  const { error } = second;
  if (error?.code === 'non_determinism') return errorText(error);
  return (
    difference('the end', endOf(first), endOf(second)) ??
    difference('the output', first.output, second.output) ??
    difference('the state', first.state, second.state)
  );
}

function endOf({ status, error }: Facts): JsonValue {
  return error === null ? status : `${status}: ${errorText(error)}`;
}

function difference(what: string, first: JsonValue, second: JsonValue): string | null {
  if (canonicalJson(first) === canonicalJson(second)) return null;
  return `${what}: the first time ${shown(first)}; the second time ${shown(second)}`;
}
