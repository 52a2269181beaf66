import { readHold } from '../changes/hold.js';
import { readPause } from '../changes/pause.js';
import { TactusError } from '../errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../json/json.js';
import { isPublishedAs } from '../procedures/published.js';
import { isSource } from '../procedures/source.js';
import { labelsProblem } from './labels.js';
import { isRunSettings } from './run-settings.js';
import type { StartInput } from './start-input.js';

const keys = [
  'procedure',
  'source',
  'published',
  'input',
  'task',
  'code',
  'folder',
  'messageId',
  'limits',
  'settings',
  'searchAttributes',
  'labels',
  'mock',
  'scenario',
  'drift',
  'paused',
  'parent',
  'carry',
];

/**
 * Checks what a client wrote, in whatever language.
 * @throws TactusError usage naming what is wrong and what is expected
 */
export function readStartInput(given: unknown): StartInput {
  const wrong = (problem: string): TactusError =>
    new TactusError(
      'usage',
      `The workflow's argument ${problem}. Expected is {"procedure": "name", "input": {…}} or {"source": {"entry", "files"}, "input": {…}}`,
    );
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw wrong('must be one JSON object');
  const start = given as JsonObject;
  const unknown = Object.keys(start).filter((key) => !keys.includes(key));
  if (unknown.length > 0) throw wrong(`has the unknown field ${unknown.join(', ')}`);
  const { procedure, source } = start;
  if (procedure !== undefined && (typeof procedure !== 'string' || procedure === ''))
    throw wrong('has a procedure that is not a name');
  if (source !== undefined && !isSource(source)) throw wrong('has a source that lacks entry or files');
  if (procedure === undefined && source === undefined) throw wrong('names no procedure');
  const { published } = start;
  if (published !== undefined && !isPublishedAs(published))
    throw wrong('has a published that is not {"name", "version", "share"}');
  const { task, code, folder, messageId, limits, settings, mock, scenario, drift, parent, carry } = start;
  const { paused, labels } = start;
  if (task !== undefined && (typeof task !== 'string' || task === ''))
    throw wrong('has a task that is not a name');
  if (code !== undefined && !hasFields(code, { agent: 'string', file: 'string' }))
    throw wrong('has a code that is not {"agent", "file"}');
  if (folder !== undefined && typeof folder !== 'string') throw wrong('has a folder that is not a path');
  if (messageId !== undefined && !isMessageId(messageId))
    throw wrong(`has a messageId that is not a text of 1 to ${maxMessageId} characters`);
  if (limits !== undefined && !isObject(limits)) throw wrong('has limits that are not an object');
  if (settings !== undefined && !isRunSettings(settings))
    throw wrong('has settings of another form than RunSettings');
  if (mock !== undefined && !hasFields(mock, { all: 'boolean', agents: 'object', results: 'object' }))
    throw wrong('has a mock that is not an object with all, agents and results');
  if (scenario !== undefined && !Array.isArray(scenario)) throw wrong('has a scenario that is not a list');
  if (drift !== undefined && !hasFields(drift, { seed: 'string', aheadMs: 'number' }))
    throw wrong('has a drift that is not {"seed", "aheadMs"}');
  const labelProblem = labels === undefined ? null : labelsProblem(labels);
  if (labelProblem !== null) throw wrong(`has labels that are none: ${labelProblem}`);
  const pauseProblem = paused === undefined ? '' : readPause(paused);
  if (typeof pauseProblem === 'string' && pauseProblem !== '')
    throw wrong(`has a pause in which ${pauseProblem}`);
  const { hold } = isObject(paused) ? paused : {};
  if (hold !== undefined && readHold(hold) === null) throw wrong('has a pause with a hold that is none');
  if (
    parent !== undefined &&
    (!hasFields(parent, { runId: 'string', position: 'string' }) ||
      !isCallsBefore((parent as JsonObject)['calls']) ||
      !isMomentOrNone((parent as JsonObject)['deadline']))
  )
    throw wrong('has a parent that is not {"runId", "position"}');
  if (
    carry !== undefined &&
    !(hasFields(carry, carryFields) && isMomentOrNone((carry as JsonObject)['endedAt']))
  )
    throw wrong('has a carry, which only a run sets, for its own next execution');
  return given;
}

const maxMessageId = 200;

export function isMessageId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= maxMessageId;
}

const carryFields = {
  startedAt: 'number',
  seed: 'string',
  ledger: 'object',
  usage: 'object',
  deadlines: 'object',
  children: 'object',
  childOutcomes: 'object',
  firstExecutionId: 'string',
  mirrored: 'number',
};

function isMomentOrNone(given: JsonValue | undefined): boolean {
  return given === undefined || (Number.isSafeInteger(given) && Number(given) >= 0);
}

function isCallsBefore(given: JsonValue | undefined): boolean {
  if (given === undefined) return true;
  if (!isObject(given)) return false;
  const { used = null, refusal = '' } = given;
  return Number.isSafeInteger(used) && Number(used) >= 0 && typeof refusal === 'string';
}

function hasFields(value: JsonValue, fields: Record<string, string>): boolean {
  return (
    isObject(value) &&
    Object.entries(fields).every(
      ([name, type]) => typeof getOwn(value, name) === type && value[name] !== null,
    )
  );
}
