import { isPayloadBucket } from '../../../contract/payloads/payload-place.js';
import { FilePayloadStore } from './file-payload-store.js';
import type { ListedPayloadStore } from './payload-store.js';
import { S3PayloadStore } from './s3-payload-store.js';

/**
 * Opens the store for payloads that the server refuses for their size.
 * @param place a folder, or `s3://BUCKET/FOLDER?region=REGION&endpoint=URL`
 * @throws TactusError usage where the address is none; what it needs beyond that is told by what is asked first
 */
export function openPayloadStore(place: string): ListedPayloadStore {
  return isPayloadBucket(place) ? new S3PayloadStore(place) : new FilePayloadStore(place);
}
