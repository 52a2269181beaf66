import { TactusError } from '../../contract/errors.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import { maxSourcesBytes, maxStoredStartBytes } from '../../contract/runs/limits.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { dryProgram } from '../../lua-bridge/index.js';

export interface CheckOptions {
  settings?: RunSettings | undefined;
  task?: string | undefined;
  /** A store keeps what the server refuses for its size. */
  isStored?: boolean;
}

/**
 * Refuses what could never run: the source is loaded and the input checked in this process, up to the first effect,
 * which is not performed.
 * @throws TactusError source_invalid, no_procedure, input_invalid, payload_too_large
 */
export function checkStart(
  source: ProcedureSource,
  input: JsonValue,
  { settings = {}, task, isStored = false }: CheckOptions = {},
): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new TactusError('input_invalid', 'The input must be a JSON object');
  const size = jsonSize(input) + jsonSize(source.files);
  const most = isStored ? maxStoredStartBytes : maxSourcesBytes;
  if (size > most)
    throw new TactusError(
      'payload_too_large',
      `Source and input have ${size} bytes together; ${most} can be sent${isStored ? '' : ': more where the client has a payload store'}`,
    );
  const program = dryProgram(source, input, { settings, task });
  const turn = program.turn();
  const refused = ['source_invalid', 'no_procedure', 'input_invalid', 'source_not_found'];
  if (turn.kind === 'failed' && refused.includes(turn.error.code)) throw turn.error;
}
