import type { ConnectionLike } from '@temporalio/client';
import proto from '@temporalio/proto';
import { searchAttributeNames, searchAttributeTypes } from '../../contract/names.js';
import type { KnownAttributes } from '../../contract/runs/start-input.js';

/** Those that runs set; one that the namespace doesn't know would block a run for ever. */
const neededSearchAttributes = Object.values(searchAttributeNames);

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

/** Which of ours a namespace has; `'forks'`: all of them. A fork is started with that of forks, and sets the others itself. */
export type NamespaceAttributes = KnownAttributes | 'forks';

/** Those that runs set themselves. */
export function attributesOfRuns(known: NamespaceAttributes): KnownAttributes {
  return known === 'forks' ? 'labels' : known;
}

/**
 * Which ones the namespace has: asked of the server once, when somebody first wants to know.
 * @param said nobody is asked; left out: the server is
 */
export function knownSearchAttributes(
  connection: ConnectionLike,
  namespace: string,
  said?: NamespaceAttributes,
): () => Promise<NamespaceAttributes> {
  let known = said === undefined ? undefined : Promise.resolve(said);
  return () => (known ??= missingSearchAttributes(connection, namespace).then(knownBut));
}

/** What may be set where some are missing. */
export function knownBut(missing: readonly string[]): NamespaceAttributes {
  if (missing.length === 0) return 'forks';
  const { labels, forkedFrom } = searchAttributeNames;
  const others = missing.filter((name) => name !== forkedFrom);
  return others.length === 0 ? 'labels' : others.every((name) => name === labels);
}

const { INDEXED_VALUE_TYPE_KEYWORD, INDEXED_VALUE_TYPE_KEYWORD_LIST } =
  proto.temporal.api.enums.v1.IndexedValueType;
const serverTypes = { Keyword: INDEXED_VALUE_TYPE_KEYWORD, KeywordList: INDEXED_VALUE_TYPE_KEYWORD_LIST };

/**
 * Makes search attributes of ours known to a namespace, for good. It takes the server a moment.
 * @throws the server's error where that isn't allowed: Temporal Cloud has its own way, and so may whoever runs the server
 */
export async function registerSearchAttributes(
  connection: ConnectionLike,
  namespace: string,
  names: readonly string[],
): Promise<void> {
  const searchAttributes = Object.fromEntries(
    names.map((name) => [name, serverTypes[searchAttributeTypes[name] ?? 'Keyword']]),
  );
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}
