import type { ConnectionLike } from '@temporalio/client';
import proto from '@temporalio/proto';
import { searchAttributeNames } from '../../contract/names.js';

/** Those that runs set; one that the namespace doesn't know would block a run for ever. */
const neededSearchAttributes = [searchAttributeNames.procedure, searchAttributeNames.status];

/** Which of our search attributes the namespace doesn't have; all of them where we may not ask. */
export async function missingSearchAttributes(
  connection: ConnectionLike,
  namespace: string,
): Promise<string[]> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return neededSearchAttributes.filter((name) => !Object.hasOwn(customAttributes ?? {}, name));
  } catch {
    return [...neededSearchAttributes];
  }
}

/** Whether the namespace has them all: asked of the server once, when somebody first wants to know. */
export function knownSearchAttributes(connection: ConnectionLike, namespace: string): () => Promise<boolean> {
  let known: Promise<boolean> | undefined;
  return () => (known ??= missingSearchAttributes(connection, namespace).then(({ length }) => length === 0));
}

const keyword = proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;

/**
 * Makes search attributes of ours known to a namespace, for good. It takes the server a moment.
 * @throws the server's error where that isn't allowed: Temporal Cloud has its own way, and so may whoever runs the server
 */
export async function registerSearchAttributes(
  connection: ConnectionLike,
  namespace: string,
  names: readonly string[],
): Promise<void> {
  const searchAttributes = Object.fromEntries(names.map((name) => [name, keyword]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}
