import type { ConnectionLike } from '@temporalio/client';
import proto from '@temporalio/proto';

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
