import { awaitChildren } from '../../contract/runs/await-children-effect.js';
import { cancelChild } from '../../contract/runs/cancel-child-effect.js';
import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { digestOf } from '../../contract/effects/digest.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';

/** Ids of the runs of whose ends a log has told. */
export function endsHeardIn(log: readonly Checkpoint[]): ReadonlySet<string> {
  return new Set(log.flatMap(toldIn).flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
}

/** Ids of the runs of which a checkpoint has told that they ended without a result. */
export function failuresToldBy(checkpoint: Checkpoint): string[] {
  const failed = toldIn(checkpoint).filter(({ status }) => status !== 'completed');
  return failed.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
}

/** What a wait for runs, a look at them, or a cancellation of one has told of those that have ended, as `ChildRun`. */
function toldIn({ type, outcome }: Checkpoint): JsonObject[] {
  if (!tellers.has(type) || !outcome.ok || !isObject(outcome.value)) return [];
  const { children } = outcome.value;
  const all: JsonValue[] = Array.isArray(children) ? children : [outcome.value];
  return all.filter((each) => isObject(each)).filter(({ terminal }) => terminal === true);
}

const tellers: ReadonlySet<string> = new Set<string>([...awaitChildren.types, ...cancelChild.types]);

/** Whether it is a call of a child run. A procedure of the file itself is a frame, and has the digest of its input. */
export function isChildCall({ type, digest, input }: Checkpoint): boolean {
  if (type !== 'procedure_call' || digest === '' || !isObject(input)) return false;
  const { file, code } = input;
  return (typeof file === 'string' || typeof code === 'string') && digest !== digestOf(input);
}
