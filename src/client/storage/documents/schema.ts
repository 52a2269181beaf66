import { TactusError } from '../../../contract/errors.js';
import type { DocumentStore, Head } from './document-store.js';

/** Counted up with every change of what is kept how. */
const schemaVersion = 1;

/** The document that says it stands where no procedure is. */
const [nobody, name] = ['', 'schema'];

/** Makes a store ready for records. @throws TactusError usage where a newer version of this package has made it */
export async function ensureSchema(store: DocumentStore<Head>): Promise<void> {
  await store.prepare?.();
  const content = await store.readPart(nobody, name);
  if (content === null) return store.writePart(nobody, name, Buffer.from(String(schemaVersion)));
  const found = Number(Buffer.from(content).toString());
  if (found <= schemaVersion) return;
  throw new TactusError(
    'usage',
    `The storage was made by a newer version of tactus-temporal (schema ${found})`,
  );
}
