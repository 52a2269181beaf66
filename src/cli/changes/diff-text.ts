import type { ComparedEntry, RunDiff } from '../../contract/changes/run-diff.js';
import type { JsonValue } from '../../contract/json/json.js';
import { jsonText } from '../command.js';

/** Positions that are shown; the rest is counted. */
const mostEntries = 20;
/** Columns of a text, and of what is shown of it before the first difference. */
const mostColumns = 100;
const columnsBefore = 30;

/** Two runs, for people: what each of them has where they differ, with a caret below the first character that does. */
export function diffText({ same, entries, missing }: RunDiff): string {
  const more = entries.length - mostEntries;
  return [
    `${same} ${same === 1 ? 'checkpoint is' : 'checkpoints are'} the same, ${entries.length} ${entries.length === 1 ? 'differs' : 'differ'}`,
    ...(missing.left + missing.right === 0
      ? []
      : [
          `${missing.left} (left) and ${missing.right} (right) checkpoints of earlier passes are no longer kept by the server, and not compared`,
        ]),
    ...entries.slice(0, mostEntries).flatMap(entryLines),
    ...(more > 0 ? [`and ${more} more: --json has all of them`] : []),
  ].join('\n');
}

function entryLines({ position, left, right }: RunDiff['entries'][number]): string[] {
  if (left === null || right === null) return [position, ...sideLines(headOf(left), headOf(right))];
  const [one, other] = [headOf(left), headOf(right)];
  if (one !== other) return [position, ...sideLines(one, other)];
  const fields = (['input', 'result', 'error'] as const).flatMap((field) => {
    const [before, after] = [valueText(left[field]), valueText(right[field])];
    return before === after ? [] : [` ${field}`, ...sideLines(before, after)];
  });
  return [`${position}  ${oneLine(one)}`, ...fields];
}

function headOf(entry: ComparedEntry | null): string {
  return entry === null ? 'nothing' : `${entry.type} ${entry.name}`;
}

function valueText(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/** Both sides around their first difference. */
export function sideLines(left: string, right: string): string[] {
  let first = 0;
  while (first < Math.min(left.length, right.length) && left[first] === right[first]) first += 1;
  const begin = Math.max(0, first - columnsBefore);
  const shown = (text: string): string => {
    const end = begin + mostColumns;
    const part = oneLine(text.slice(begin, end));
    return `${begin > 0 ? '…' : ''}${part}${text.length > end ? '…' : ''}`;
  };
  const column = first - begin + (begin > 0 ? 1 : 0);
  return [`  - ${shown(left)}`, `  + ${shown(right)}`, `    ${' '.repeat(column)}^`];
}

/** Each character stays one, so that the caret stands below its own. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{C}]/gu, ' ');
}
