import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json.js';
import type { HumanAnswer, HumanAsk, HumanRequestKind } from '../../contract/human-request.js';
import type { CheckpointType } from '../../contract/checkpoint.js';
import { native, type Bridge } from '../bridge.js';
import { readDuration } from '../duration.js';
import { setLibrary } from '../handle.js';
import { pushJson, toJson } from '../marshal.js';
import type { Native } from '../native.js';
import { lua, type LuaState } from '../vm/fengari.js';

const maxMessageBytes = 64 * 1024;
const maxOptions = 200;

const types: Record<HumanRequestKind, CheckpointType> = {
  approval: 'hitl_approval',
  input: 'hitl_input',
  review: 'hitl_review',
};

/** `Human.approve`, `Human.input`, `Human.review`: ask a person and wait, for three weeks if need be. */
export function openHuman(bridge: Bridge): void {
  setLibrary(bridge.L, 'Human', {
    approve: native(bridge, ask('approval')),
    input: native(bridge, ask('input')),
    review: native(bridge, ask('review')),
  });
}

function ask(kind: HumanRequestKind): Native {
  return function* (L) {
    const request = readAsk(L, kind);
    const answer = (yield {
      effect: { type: types[kind], name: request.message, effect: { kind: 'human', ask: request } },
    }) as HumanAnswer;
    pushJson(L, answer.value);
    return 1;
  };
}

/**
 * Reads the one argument of a human request: a message, or a table with `message` (or `prompt`) and more.
 * @throws TactusError human_request_invalid naming the field
 */
function readAsk(L: LuaState, kind: HumanRequestKind): HumanAsk {
  const given = lua.lua_gettop(L) === 0 ? null : toJson(L, 1);
  const fields: JsonObject = typeof given === 'string' ? { message: given } : isObject(given) ? given : {};
  const message = fields['message'] ?? fields['prompt'] ?? null;
  if (typeof message !== 'string' || message === '')
    throw invalid(kind, 'needs a message: the text that the person reads');
  if (message.length > maxMessageBytes)
    throw invalid(kind, `has a message of ${message.length} characters; ${maxMessageBytes} are allowed`);
  const timeout = fields['timeout'] ?? null;
  return {
    kind,
    message,
    context: contextOf(kind, fields),
    options: readOptions(kind, fields['options'] ?? null),
    default: readDefault(kind, fields),
    timeoutMs:
      timeout === null ? null : readDuration(timeout, `Human request: timeout`, 'human_request_invalid'),
    approvers: readNames(kind, fields['approvers'] ?? null),
  };
}

function invalid(kind: HumanRequestKind, problem: string): TactusError {
  const name = kind === 'approval' ? 'approve' : kind;
  return new TactusError('human_request_invalid', `Human.${name} ${problem}`);
}

/** What is shown beside the message: the context, and for a review what is reviewed. */
function contextOf(kind: HumanRequestKind, fields: JsonObject): JsonValue {
  const context = fields['context'] ?? null;
  if (kind !== 'review' || fields['artifact'] === undefined) return context;
  return {
    artifact: fields['artifact'],
    artifact_type: fields['artifact_type'] ?? null,
    ...(context === null ? {} : { context }),
  };
}

function readOptions(kind: HumanRequestKind, given: JsonValue): string[] {
  if (given === null) return kind === 'review' ? ['approve', 'reject', 'revise'] : [];
  if (!Array.isArray(given) || (given.length === 0 && kind !== 'input'))
    throw invalid(kind, 'needs options as a list of texts');
  if (given.length > maxOptions)
    throw invalid(kind, `has ${given.length} options; ${maxOptions} are allowed`);
  const options = given.map((option) => {
    const value = isObject(option) ? (option['value'] ?? option['label'] ?? null) : option;
    if (typeof value !== 'string') throw invalid(kind, 'needs options as a list of texts');
    return value;
  });
  if (new Set(options).size !== options.length) throw invalid(kind, 'has the same option twice');
  return options;
}

function readDefault(kind: HumanRequestKind, fields: JsonObject): JsonValue {
  const given = fields['default'] ?? fields['default_on_timeout'] ?? null;
  if (kind !== 'approval') return given;
  if (given !== null && typeof given !== 'boolean')
    throw invalid(kind, `needs true or false as default, got ${JSON.stringify(given)}`);
  return given ?? false;
}

function readNames(kind: HumanRequestKind, given: JsonValue): string[] {
  if (given === null) return [];
  const names = Array.isArray(given) ? given : [given];
  if (!names.every((name): name is string => typeof name === 'string'))
    throw invalid(kind, 'needs approvers as a list of names');
  return names;
}
