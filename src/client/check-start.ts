import { TactusError } from '../contract/errors.js';
import { jsonSize, type JsonValue } from '../contract/json.js';
import { maxSourcesBytes } from '../contract/limits.js';
import type { RunSettings } from '../contract/run-settings.js';
import type { ProcedureSource } from '../contract/source.js';
import { dryProgram } from '../lua-bridge/index.js';

/**
 * Refuses what could never run: the source is loaded and the input checked in this process, up to the first effect,
 * which is not performed.
 * @throws TactusError source_invalid, no_procedure, input_invalid, payload_too_large
 */
export function checkStart(
  source: ProcedureSource,
  input: JsonValue,
  { settings = {}, task }: { settings?: RunSettings | undefined; task?: string | undefined } = {},
): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new TactusError('input_invalid', 'The input must be a JSON object');
  const size = jsonSize(input) + jsonSize(source.files);
  if (size > maxSourcesBytes)
    throw new TactusError(
      'payload_too_large',
      `Source and input have ${size} bytes together; ${maxSourcesBytes} can be sent`,
    );
  const program = dryProgram(source, input, { settings, task });
  const turn = program.turn();
  const refused = ['source_invalid', 'no_procedure', 'input_invalid', 'source_not_found'];
  if (turn.kind === 'failed' && refused.includes(turn.error.code)) throw turn.error;
}
