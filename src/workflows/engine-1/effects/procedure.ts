import type { JsonValue } from '../../../contract/json/json.js';
import { childStart } from '../../runs/child-start.js';
import type { EffectContext } from './context.js';

/** Runs another file as a run of its own, `<run>/<position>`, and waits for its output. */
export async function performProcedure(
  context: EffectContext,
  position: string,
  file: string,
  input: JsonValue,
): Promise<JsonValue> {
  return context.children.run(position, childStart(context, position, 'Procedure.run', { file, input }));
}

/** Starts another file as a run of its own; gives its id as soon as it has begun. */
export async function performSpawn(
  context: EffectContext,
  position: string,
  file: string,
  input: JsonValue,
): Promise<string> {
  return context.children.spawn(position, childStart(context, position, 'Procedure.spawn', { file, input }));
}
