import { isPayloadBucket } from '../../../contract/payloads/payload-place.js';
import { FilePayloadStore } from './file-payload-store.js';
import type { ListedPayloadStore } from './payload-store.js';

/**
 * Opens the store for payloads that the server refuses for their size.
 * @param place a folder, or `s3://BUCKET/FOLDER?region=REGION&endpoint=URL`
 * @throws TactusError usage where the address is none; missing_package
 */
export async function openPayloadStore(place: string): Promise<ListedPayloadStore> {
  if (!isPayloadBucket(place)) return new FilePayloadStore(place);
  const { S3PayloadStore } = await import('./s3-payload-store.js');
  return S3PayloadStore.open(place);
}
