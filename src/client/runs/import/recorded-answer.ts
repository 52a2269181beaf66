import type { CarriedAnswer } from '../../../contract/runs/carried-answers.js';
import type { SourceLine } from '../../../contract/checkpoints/checkpoint.js';
import { human } from '../../../contract/people/human-effect.js';
import { cutMessage } from '../../../contract/text/plain-text.js';
import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { readPythonValue } from './python-value.js';
import type { RecordedEntry } from './reference-record.js';

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
export function canHold(type: string): boolean {
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
  if (output === undefined) return `its result is no TactusResult: ${shown(result)}`;
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
    return `its result is no PredictionResult: ${shown(result)}`;
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
  if (value === undefined) return `its result is no HITLResponse: ${shown(result)}`;
  return { value, ...(timedOut === true ? { timedOut: true as const } : {}) };
}

/** The fields of one of Python's models; null where it is none of that name. */
function modelOf(result: JsonValue, name: string): JsonObject | null {
  return isObject(result) && result['__model__'] === name ? result : null;
}

function shown(result: JsonValue): string {
  return cutMessage(JSON.stringify(result), 80);
}
