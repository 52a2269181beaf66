import { failureQuestionOf } from '../../contract/people/failure-question.js';
import { isRunSettings, type RunSettings } from '../../contract/runs/run-settings.js';
import { maxSourcesBytes, maxStoredStartBytes } from '../../contract/runs/limits.js';
import { procedureName, type ProcedureSource } from '../../contract/procedures/source.js';
import {
  dryProgram,
  failureQuestionProblem,
  fieldSchema,
  toJsonSchema,
  type Description,
  type Field,
  type Fields,
} from '../../lua-bridge/index.js';
import {
  asJson,
  defined,
  isObject,
  jsonSize,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/json.js';
import { TactusError } from '../../contract/errors.js';

/**
 * What a source says of itself, found by loading it up to its first effect. Nothing is refused here: what is wrong
 * with it, the start says.
 */
export function describeSource(source: ProcedureSource, settings: RunSettings = {}): Description {
  const program = dryProgram(source, {}, { settings });
  program.turn();
  return program.describe();
}

/** What a procedure is called with and gives, for whoever offers it to others. */
export interface ProcedureInterface {
  /** That of its file. */
  name: string;
  description: string | null;
  /** JSON Schema of the input, an object. */
  input: JsonObject;
  /** JSON Schema of the output; null where none is declared. */
  output: JsonObject | null;
}

/** Found by loading the source up to its first effect. Nothing is refused here: what is wrong with it, the start says. */
export function procedureInterface(source: ProcedureSource, settings: RunSettings = {}): ProcedureInterface {
  const program = dryProgram(source, {}, { settings });
  program.turn();
  const { description, input, output } = program.summary();
  return {
    name: procedureName(source),
    description,
    input: input === null ? { type: 'object' } : withDefaults(input),
    output: output === null ? null : isField(output) ? fieldSchema(output) : toJsonSchema(output),
  };
}

/** What has a default may be left out, whatever else is said of it. */
function withDefaults(fields: Fields): JsonObject {
  const schema = toJsonSchema(fields);
  const { properties } = schema;
  const needed = Object.keys(fields).filter((name) => {
    const property = isObject(properties) ? properties[name] : undefined;
    return fields[name]?.required === true && !(isObject(property) && 'default' in property);
  });
  const { required: _required, ...rest } = schema;
  return needed.length === 0 ? rest : { ...rest, required: needed };
}

function isField(output: Fields | Field): output is Field {
  return typeof output['type'] === 'string';
}

interface CheckOptions {
  settings?: RunSettings | undefined;
  task?: string | undefined;
  /** A store keeps what the server refuses for its size. */
  isStored?: boolean;
}

/**
 * Refuses what could never run: the source is loaded and the input checked in this process, up to the first effect,
 * which is not performed.
 * @returns isThread: what runs is a graph, whose run has turns
 * @throws TactusError source_invalid, no_procedure, input_invalid, payload_too_large; config_invalid, usage where the settings are none
 */
export function checkStart(
  source: ProcedureSource,
  input: JsonValue,
  { settings = {}, task, isStored = false }: CheckOptions = {},
): { isThread: boolean } {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new TactusError('input_invalid', 'The input must be a JSON object');
  assertSettings(settings);
  const size = jsonSize(input) + jsonSize(source.files);
  const most = isStored ? maxStoredStartBytes : maxSourcesBytes;
  if (size > most)
    throw new TactusError(
      'payload_too_large',
      `Source and input have ${size} bytes together; at most ${most} can be sent${isStored ? '' : '. A client with a payload store can send more'}`,
    );
  const program = dryProgram(source, input, { settings, task });
  const turn = program.turn();
  const refused = ['source_invalid', 'no_procedure', 'input_invalid', 'source_not_found'];
  if (turn.kind === 'failed' && refused.includes(turn.error.code)) throw turn.error;
  return { isThread: task === undefined && program.isThread };
}

/** The run would fail at its beginning. @throws TactusError config_invalid where nobody could be asked so when it fails; usage */
function assertSettings(settings: RunSettings): void {
  const question = failureQuestionOf(settings.onFailure ?? false);
  const problem = typeof question === 'object' ? failureQuestionProblem(question) : question || null;
  if (problem !== null)
    throw new TactusError('config_invalid', `The settings of the run: on_failure ${problem}`);
  if (!isRunSettings(asJson(defined({ ...settings }))))
    throw new TactusError('usage', 'The settings of the run have another form than RunSettings');
}
