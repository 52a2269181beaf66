import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonValue } from '../../src/contract/json.js';
import type { LogEntryView, RunView } from '../../src/contract/run-view.js';
import type { RecordedRun } from './recorded-case.js';

export type Aspect = 'success' | 'result' | 'state' | 'printed' | 'checkpoints';

/** In what a run of ours differs from what the reference recorded; each with both sides, for people. */
export function differences(
  recorded: RecordedRun,
  view: RunView,
  log: readonly LogEntryView[],
): Map<Aspect, string> {
  const found = new Map<Aspect, string>();
  const compare = (aspect: Aspect, expected: JsonValue, ours: JsonValue): void => {
    if (isDeepStrictEqual(withoutEmptyKind(expected), withoutEmptyKind(ours))) return;
    found.set(aspect, `expected ${JSON.stringify(expected)}, ours ${JSON.stringify(ours)}`);
  };
  compare('success', recorded.success, view.status === 'completed');
  if (recorded.success) {
    compare('result', recorded.result, view.output);
    compare('state', recorded.state ?? {}, view.state);
  }
  compare('printed', lines(recorded.printed), view.printed);
  // The reference records fewer: tools and files are none of its checkpoints.
  const types = recorded.checkpoints.map(({ type }) => type);
  const ours = log.map(({ type }) => type).filter((type) => types.includes(type));
  compare('checkpoints', types, ours);
  return found;
}

function lines(printed: string): string[] {
  return printed === '' ? [] : printed.replace(/\n$/, '').split('\n');
}

/** An empty table is a list or an object; which one says nothing. */
function withoutEmptyKind(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.length === 0 ? {} : value.map(withoutEmptyKind);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutEmptyKind(each)]));
}
