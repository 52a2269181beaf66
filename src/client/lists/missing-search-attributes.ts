import type { ConnectionLike } from '@temporalio/client';
import { searchAttributeNames } from '../../contract/names.js';

/** Those that runs set; one that the namespace doesn't know would block a run for ever. */
export const neededSearchAttributes = [searchAttributeNames.procedure, searchAttributeNames.status];

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
