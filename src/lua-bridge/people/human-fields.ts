import { schemaProblem } from '../../contract/people/answer-schema.js';
import { TactusError } from '../../contract/errors.js';
import type { Holds } from '../../contract/engine.js';
import type {
  HumanAsk,
  HumanChoice,
  HumanRequestKind,
  OptionValue,
  RequestHints,
} from '../../contract/people/human-request.js';
import { readAnswerValue } from '../../contract/people/ledger.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { readDuration } from '../../contract/time/duration.js';
import type { CheckpointType } from '../../contract/checkpoints/checkpoint.js';

const maxMessageBytes = 64 * 1024;
const maxOptions = 200;

/** What is handed to the author's own application as it is. */
const metadataKeys = [
  'action_key',
  'resource_refs',
  'preconditions',
  'expires_at',
  'response_schema',
  'ui_schema',
];

export function invalid(call: string, problem: string): TactusError {
  return new TactusError('human_request_invalid', `Human.${call} ${problem}`);
}

export function readMessage(call: string, fields: JsonObject): string {
  const message = fields['message'] ?? fields['prompt'] ?? null;
  if (typeof message !== 'string' || message === '')
    throw invalid(call, 'needs a message: the text that the person reads');
  if (message.length > maxMessageBytes)
    throw invalid(call, `has a message of ${message.length} characters; ${maxMessageBytes} are allowed`);
  return message;
}

export function readTimeout(fields: JsonObject): number | null {
  const timeout = fields['timeout'] ?? null;
  return timeout === null ? null : readDuration(timeout, `Human request: timeout`, 'human_request_invalid');
}

/** Options as texts, or as tables with a value or a label; at least one. */
export function readOptions(call: string, given: JsonValue): string[] {
  const options = listOf(call, given, 'needs options as a list of texts').map((option) => {
    const value = isObject(option) ? (option['value'] ?? option['label'] ?? null) : option;
    if (typeof value !== 'string') throw invalid(call, 'needs options as a list of texts');
    return value;
  });
  assertDifferent(call, options);
  return options;
}

/** The same with what is shown of each; a value may be a number too. */
export function readChoices(call: string, given: JsonValue): HumanChoice[] {
  const wanted = 'needs options as a list of texts, or of tables with value and label';
  const choices = listOf(call, given, wanted).map((option): HumanChoice => {
    const fields = isObject(option) ? option : { value: option };
    const value = fields['value'] ?? fields['label'] ?? null;
    const { label = value, description = null } = fields;
    if (typeof value !== 'string' && typeof value !== 'number') throw invalid(call, wanted);
    if (typeof label !== 'string' && typeof label !== 'number') throw invalid(call, wanted);
    return {
      value,
      label: String(label),
      ...(typeof description === 'string' ? { description } : {}),
    };
  });
  const values = choices.map(({ value }) => value);
  assertDifferent(call, values);
  return choices;
}

function listOf(call: string, given: JsonValue, problem: string): JsonValue[] {
  if (!Array.isArray(given) || given.length === 0) throw invalid(call, problem);
  if (given.length > maxOptions)
    throw invalid(call, `has ${given.length} options; ${maxOptions} are allowed`);
  return given;
}

function assertDifferent(call: string, options: readonly OptionValue[]): void {
  if (new Set(options).size !== options.length) throw invalid(call, 'has the same option twice');
}

export function readNames(call: string, given: JsonValue): string[] {
  if (given === null) return [];
  const names = Array.isArray(given) ? given : [given];
  if (!names.every((name): name is string => typeof name === 'string'))
    throw invalid(call, 'needs approvers as a list of names');
  return names;
}

/**
 * Undefined where nothing of it is given: requests without it look as they always did. `own`: what the author's table
 * `metadata` says besides; what has a field of the call's has it there alone.
 */
export function readMetadata(call: string, fields: JsonObject, own: JsonObject = {}): JsonObject | undefined {
  const given = metadataKeys.flatMap((key): [string, JsonValue][] => {
    const value = getOwn(fields, key) ?? null;
    return value === null ? [] : [[key, value]];
  });
  const besides = Object.entries(own).filter(([key]) => !metadataKeys.includes(key));
  if (given.length + besides.length === 0) return undefined;
  const metadata: JsonObject = {};
  for (const [key, value] of [...besides, ...given]) setOwn(metadata, key, value);
  const schema = metadata['response_schema'];
  const problem = schema === undefined ? null : schemaProblem(schema);
  if (problem !== null) throw invalid(call, `has a response_schema that ${problem}`);
  return metadata;
}

export function readCount(call: string, name: string, given: JsonValue): number | null {
  if (given === null) return null;
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 0)
    throw invalid(call, `needs ${name} as a whole number, got ${JSON.stringify(given)}`);
  return given;
}

/**
 * A default is what the procedure gets instead of an answer, and must be one.
 * @throws TactusError human_request_invalid
 */
export function assertDefaultFits(
  call: string,
  ask: Pick<HumanAsk, 'kind' | 'options' | 'form' | 'metadata' | 'default'>,
): void {
  if (ask.default === null || ask.kind === 'escalation') return;
  const read = readAnswerValue(ask, ask.default);
  if (typeof read === 'string') throw invalid(call, `has a default that is no answer: ${read}`);
}

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

/** What a call adds to what all of them have: message, timeout, approvers and metadata. */
type KindParts = Pick<HumanAsk, 'context' | 'options' | 'default'> & Pick<Partial<HumanAsk>, 'form'>;

/** One function of `Human` that asks and waits. */
export interface HumanKind {
  kind: HumanRequestKind;
  type: CheckpointType;
  /** @throws TactusError human_request_invalid naming the field */
  read: (call: string, fields: JsonObject, holds: Holds) => KindParts;
  /** The message, where the author gives none; left out: there must be one. */
  message?: (fields: JsonObject) => string;
}
