import { canonicalJson } from '../contract/json.js';
import type { LogEntryView } from '../contract/run-view.js';
import { shown } from './expected-value.js';

/** Where two runs of a scenario first went apart, with both sides; null: nowhere. Times don't count. */
export function compareLogs(first: readonly LogEntryView[], second: readonly LogEntryView[]): string | null {
  for (let index = 0; index < Math.max(first.length, second.length); index++) {
    const [a, b] = [first[index], second[index]];
    if (a === undefined || b === undefined || entryText(a) !== entryText(b))
      return `position ${(a ?? b)?.position}: the first time ${sideText(a)}; the second time ${sideText(b)}`;
  }
  return null;
}

/** All that must be the same. */
function entryText({ position, type, name, status, input, result, error }: LogEntryView): string {
  return canonicalJson([position, type, name, status, input, result, error]);
}

function sideText(entry: LogEntryView | undefined): string {
  if (entry === undefined) return 'nothing came any more';
  const { type, name, input, result, error, source } = entry;
  const where = source === null ? '' : ` (${source.file}:${source.line})`;
  const gave = error === null ? `gave ${shown(result)}` : `failed with ${shown(error)}`;
  return `${type} '${name}'${where}${input === null ? '' : ` of ${shown(input)}`} ${gave}`;
}
