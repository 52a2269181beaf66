import type { SourceLine } from '../../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { human } from '../../../contract/people/human-effect.js';
import type { CarriedAnswer } from '../../../contract/runs/carried-answers.js';
import { cutMessage } from '../../../contract/text/plain-text.js';
import { readPythonValue } from './python-value.js';
import type { RecordedEntry } from './reference-record.js';

/** A flat record, read as what it stands for. */
export interface ReadEntries {
  /** What has ended and stands in no other entry, in order. */
  ended: RecordedEntry[];
  /** What the run waits for, or, where `isHolding`, what something waits in; null: nothing that is recorded. */
  waiting: { entry: RecordedEntry; isHolding: boolean } | null;
  /** Left behind by another run of the procedure; the reference passes over them. */
  strangers: number;
}

/**
 * Tells entries from those that stand inside of them. An entry that holds others takes the place of the first of them when it
 * ends, and is counted then: so the others stand behind it and ended before it, and the next position is one further on.
 * @throws TactusError non_determinism where the record can't have come about so; then the reference can't go on with it either
 */
export function readEntries(all: readonly RecordedEntry[]): ReadEntries {
  const own = ownEntries(all);
  const ended: RecordedEntry[] = [];
  let isPartlyLost = false;
  for (let at = 0; at < own.length;) {
    const entry = own[at] as RecordedEntry;
    const next = siblingOf(own, at);
    assertCounted(own, at, next, isPartlyLost);
    const inside = own.slice(at + 1, next);
    if (inside.some(isPending)) throw lost(entry, inside.at(-1) ?? entry);
    isPartlyLost ||= inside.length > 0;
    ended.push(entry);
    at = next;
  }
  const last = ended.at(-1);
  const strangers = all.length - own.length;
  if (last === undefined) return { ended, waiting: null, strangers };
  const isHolding = canHold(last.type) && last.result === null;
  if (!isHolding && !isPending(last)) return { ended, waiting: null, strangers };
  return { ended: ended.slice(0, -1), waiting: { entry: last, isHolding }, strangers };
}

/** A request to people, or a wait, that had no answer yet. */
function isPending({ type, result }: RecordedEntry): boolean {
  if (type.startsWith('hitl_')) return result === null;
  const isWait = type === 'scheduled_continuation' || type === 'external_children_wait';
  return isWait && result !== null && typeof result === 'object' && 'pending' in result;
}

/** Those of the run that the first one is of. Where another run began anew, the rest of the one before is still there. */
function ownEntries(all: readonly RecordedEntry[]): readonly RecordedEntry[] {
  const [first] = all;
  const end = all.findIndex(({ runId }) => runId !== first?.runId);
  if (end < 0) return all;
  const again = all.slice(end).find(({ runId }) => runId === first?.runId);
  if (again !== undefined)
    throw unfit(
      again,
      `the record mixes entries of the runs ${first?.runId ?? ''} and ${all[end]?.runId ?? ''}`,
    );
  return all.slice(0, end);
}

/** The first entry after it that it doesn't hold. */
function siblingOf(own: readonly RecordedEntry[], at: number): number {
  const { endedAt } = own[at] as RecordedEntry;
  const next = own.findIndex((each, i) => i > at && each.endedAt >= endedAt);
  return next < 0 ? own.length : next;
}

/** How many entries were overwritten before the one at `at`. */
function gapAt(own: readonly RecordedEntry[], at: number): number {
  return (own[at] as RecordedEntry).position - at;
}

/** @throws TactusError non_determinism where positions and times contradict each other */
function assertCounted(own: readonly RecordedEntry[], at: number, next: number, isPartlyLost: boolean): void {
  const entry = own[at] as RecordedEntry;
  const isHolding = canHold(entry.type);
  const inside = next - at - 1;
  if (!isHolding && inside > 0)
    throw unfit(own[at + 1] as RecordedEntry, `it ended before ${entry.type} at ${entry.position} did`);
  const following = own[next];
  if (at === 0 && entry.position !== 0) throw missing(entry, 0);
  if (following === undefined) return;
  const rise = gapAt(own, next) - gapAt(own, at);
  // The reference has counted anew: it resumed the run.
  if (rise < 0 && following.position !== next) throw missing(following, next);
  if (rise < 0 && (isPartlyLost || inside > 0))
    throw unfit(
      following,
      'the reference resumed the run after a procedure with several checkpoints, and took the answers of one for those of others',
    );
  if (rise > 0 && !isHolding) throw missing(following, following.position - rise);
  if (rise === 0 && inside > 0)
    throw unfit(
      own[at + 1] as RecordedEntry,
      `it is told to have ended inside of position ${entry.position}`,
    );
}

function lost(holding: RecordedEntry, waiting: RecordedEntry): TactusError {
  const name = holding.place?.function ?? holding.type;
  return unfit(
    holding,
    `${name} waits (${waiting.type} at ${waiting.position}), and what it had done before is overwritten in the record`,
  );
}

function missing(entry: RecordedEntry, expected: number): TactusError {
  return unfit(entry, `an entry is missing before it: ${expected} is expected`);
}

/** The record, or an entry of it, is none that can be carried over. */
export function unfit(entry: RecordedEntry, problem: string): TactusError {
  const { position, type } = entry;
  const at = placeOf(entry);
  return new TactusError(
    'non_determinism',
    `position ${position} (${type}) can't be carried over: ${problem}`,
    {
      position: String(position),
      expected: { position: String(position), type: typeOf(type) ?? type },
      found: null,
      ...(at ?? {}),
    },
  );
}

/** What the reference records; all else it does again whenever it resumes. */
export const recordedTypes: string[] = [
  'agent_turn',
  'model_predict',
  'procedure_call',
  'explicit_checkpoint',
  ...human.types,
  'scheduled_continuation',
];

/** Types of entries that may hold others. */
function canHold(type: string): boolean {
  return type === 'procedure_call' || type === 'explicit_checkpoint' || agentOf(type) !== null;
}

/** `agent_writer_turn` is one of the agent `writer`; that of an agent in a function has no name: ''. null: it is no turn. */
function agentOf(type: string): string | null {
  if (type === 'agent_turn') return '';
  return /^agent_(.+)_turn$/s.exec(type)?.[1] ?? null;
}

/** The type as the log here has it; null where nothing here is recorded so. */
export function typeOf(type: string): string | null {
  const ours = agentOf(type) === null ? type : 'agent_turn';
  return recordedTypes.includes(ours) ? ours : null;
}

export function placeOf({ place }: RecordedEntry): SourceLine | null {
  return place === null || place.line === 0 ? null : { file: place.file, line: place.line };
}

/** An entry as an answer; a text is the reason why it can't be one. */
export function toAnswer(entry: RecordedEntry): CarriedAnswer | string {
  const type = typeOf(entry.type);
  if (type === null) return `what is recorded as ${entry.type} can't be carried over`;
  const read = valueOf(entry);
  if (typeof read === 'string') return read;
  const name = nameOf(entry);
  return {
    position: String(entry.position),
    type,
    ...(name === null ? {} : { name }),
    ...read,
    at: Math.round(entry.endedAt / 1_000),
    durationMs: Math.round(entry.durationMs),
    source: placeOf(entry),
  };
}

function nameOf({ type, place }: RecordedEntry): string | null {
  if (type === 'procedure_call') return place?.function ?? null;
  return agentOf(type) || null;
}

type Read = Pick<CarriedAnswer, 'value' | 'timedOut'>;

function valueOf({ type, result }: RecordedEntry): Read | string {
  if (agentOf(type) !== null) return turnOf(result);
  if (type === 'model_predict') return predictionOf(result);
  if (type.startsWith('hitl_')) return answerOf(result);
  if (typeof result === 'string' && /^<(?:Lua |function |built-in |[\w.]+ object at )/.test(result))
    return `its result wasn't kept, only what Python calls it: ${cutMessage(result, 80)}`;
  return { value: result };
}

/** What was said isn't recorded: the run makes it of what it asks and this output. */
function turnOf(result: JsonValue): Read | string {
  const { output, usage = null, cost_stats: costs = null } = modelOf(result, 'TactusResult') ?? {};
  if (output === undefined) return `its result is no TactusResult: ${shortJson(result)}`;
  const count = (name: string): number => (isObject(usage) ? Number(usage[name] ?? 0) : 0);
  const cost = (name: string): number => (isObject(costs) ? Number(costs[name] ?? 0) : 0);
  return {
    value: {
      output,
      usage: {
        prompt_tokens: count('prompt_tokens'),
        completion_tokens: count('completion_tokens'),
        total_tokens: count('total_tokens'),
      },
      cost: { prompt_cost: cost('prompt_cost'), completion_cost: cost('completion_cost') },
    },
  };
}

/** The reference keeps of it what Python prints, and finds nothing in that when it resumes; all is there. */
function predictionOf(result: JsonValue): Read | string {
  if (isObject(result) && result['output'] !== undefined) return { value: result['output'] };
  if (typeof result !== 'string' || !result.startsWith('PredictionResult('))
    return `its result is no PredictionResult: ${shortJson(result)}`;
  try {
    const { output = null } = readPythonValue(result) as JsonObject;
    return { value: output };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `its PredictionResult can't be read: ${error.message}`;
  }
}

function answerOf(result: JsonValue): Read | string {
  const { value, timed_out: timedOut } = modelOf(result, 'HITLResponse') ?? {};
  if (value === undefined) return `its result is no HITLResponse: ${shortJson(result)}`;
  return { value, ...(timedOut === true ? { timedOut: true as const } : {}) };
}

/** The fields of one of Python's models; null where it is none of that name. */
function modelOf(result: JsonValue, name: string): JsonObject | null {
  return isObject(result) && result['__model__'] === name ? result : null;
}

function shortJson(result: JsonValue): string {
  return cutMessage(JSON.stringify(result), 80);
}
