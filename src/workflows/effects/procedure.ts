import { TactusError } from '../../contract/errors.js';
import { getOwn, jsonSize, type JsonValue } from '../../contract/json.js';
import { maxInlineBytes } from '../../contract/limits.js';
import type { ProcedureSource } from '../../contract/source.js';
import type { StartInput } from '../../contract/start-input.js';
import type { EffectContext } from './context.js';

/** Runs another file as a run of its own, `<run>/<position>`, and waits for its output. */
export async function performProcedure(
  context: EffectContext,
  position: string,
  file: string,
  input: JsonValue,
): Promise<JsonValue> {
  return context.children.run(position, childStart(context, position, 'Procedure.run', file, input));
}

/** Starts another file as a run of its own; gives its id as soon as it has begun. */
export async function performSpawn(
  context: EffectContext,
  position: string,
  file: string,
  input: JsonValue,
): Promise<string> {
  return context.children.spawn(position, childStart(context, position, 'Procedure.spawn', file, input));
}

function childStart(
  context: EffectContext,
  position: string,
  call: string,
  file: string,
  input: JsonValue,
): StartInput {
  const source = childSource(context.source, call, file);
  const { folder, limits, settings, searchAttributes, mock } = context.start;
  const start: StartInput = {
    source,
    input,
    ...(folder === undefined ? {} : { folder }),
    ...(limits === undefined ? {} : { limits }),
    ...(settings === undefined ? {} : { settings }),
    ...(searchAttributes === undefined ? {} : { searchAttributes }),
    ...(mock === undefined ? {} : { mock }),
    parent: { runId: context.runId, position },
  };
  const bytes = jsonSize(start as unknown as JsonValue);
  if (bytes > maxInlineBytes)
    throw new TactusError(
      'payload_too_large',
      `${call}: the source and the input of ${file} have ${bytes} bytes, more than the ${maxInlineBytes} that can be sent`,
    );
  return start;
}

/** @throws TactusError child_failed where the file is not among those that travel with the run */
function childSource(source: ProcedureSource, call: string, file: string): ProcedureSource {
  const folder = source.entry.slice(0, source.entry.lastIndexOf('/') + 1);
  const path = file.replace(/^\.\//, '');
  const candidates = [folder + path, path, `${folder}${path}.tac`, `${path}.tac`];
  const entry = candidates.find((each) => getOwn(source.files, each) !== undefined);
  if (entry === undefined)
    throw new TactusError(
      'child_failed',
      `${call}: there is no file ${file} with this run; its name must stand in the procedure in full, as "child.tac"`,
    );
  return { entry, files: source.files };
}
