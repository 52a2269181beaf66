import { isDeepStrictEqual } from 'node:util';
import type { RunError } from '../../src/contract/errors.js';
import { isObject, type JsonValue } from '../../src/contract/json/json.js';
import type { LogEntryView, RunView } from '../../src/contract/runs/run-view.js';
import { errorKindOf } from './error-kinds.js';
import type { RecordedRun } from './recorded-case.js';

export type Aspect =
  | 'success'
  | 'status'
  | 'result'
  | `result.${string}`
  | 'error'
  | 'state'
  | 'printed'
  | 'logs'
  | 'checkpoints'
  | 'requests'
  | 'validate';

/** Tools and files are no checkpoints of the reference. */
const recordedTypes = /^(explicit_checkpoint|model_predict|agent_turn|procedure_call|scheduled_|hitl_)/;

/** In what a run of ours differs from what the reference recorded; each with both sides, for people. */
export function differences(
  recorded: RecordedRun,
  view: RunView,
  log: readonly LogEntryView[],
): Map<Aspect, string> {
  const found = new Map<Aspect, string>();
  const compare = (aspect: Aspect, expected: unknown, ours: unknown): void => {
    if (isDeepStrictEqual(comparable(expected as JsonValue), comparable(ours as JsonValue))) return;
    found.set(aspect, `expected ${JSON.stringify(expected)}, ours ${JSON.stringify(ours)}`);
  };
  compare('success', recorded.success, view.status === 'completed');
  compare('status', recorded.status.toLowerCase(), view.status);
  compareResults(recorded.result, view.output, compare);
  if (!isSameError(recorded.error, view.error)) compare('error', recorded.error, view.error);
  if (recorded.state !== null) compare('state', recorded.state, view.state);
  compare(
    'printed',
    lines(recorded.printed),
    view.printed.flatMap((text) => text.split('\n')),
  );
  const logs = recorded.logs.map((line) => ({ ...line, level: line.level.toLowerCase() }));
  compare('logs', logs, view.logs);
  const types = recorded.checkpoints.map(({ type }) => type.replace(/^agent_\w+_turn$/, 'agent_turn'));
  const ours = log.map(({ type }) => type).filter((type) => recordedTypes.test(type));
  compare('checkpoints', types, ours);
  const asked = log.filter(({ type }) => type.startsWith('hitl_'));
  compare(
    'requests',
    recorded.hitl_requests.map(({ type, message }) => ({ type: `hitl_${type}`, message })),
    asked.map(({ type, name }) => ({ type, message: name })),
  );
  return found;
}

/** Key by key where there are keys, so that one that differs hides no other. */
function compareResults(
  recorded: JsonValue,
  ours: JsonValue,
  compare: (aspect: Aspect, expected: unknown, ours: unknown) => void,
): void {
  if (!isObject(recorded) || !isObject(ours)) return compare('result', recorded, ours);
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(ours)]))
    compare(`result.${key}`, recorded[key] ?? null, ours[key] ?? null);
}

function isSameError(recorded: string | null, ours: RunError | null): boolean {
  if (recorded === null || ours === null) return recorded === ours;
  const { code, names } = errorKindOf(recorded);
  return ours.code === code && ours.message.includes(names);
}

function lines(printed: string): string[] {
  return printed === '' ? [] : printed.replace(/\n$/, '').split('\n');
}

/** An empty table is a list or an object, and which one says nothing; addresses of tables are nobody's business. */
function comparable(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replaceAll(/table: 0x[0-9a-f]+/g, 'table: 0x');
  if (Array.isArray(value)) return value.length === 0 ? {} : value.map(comparable);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, comparable(each)]));
}
