import { readStoreAddress, S3Bucket } from '../../../client/storage/index.js';
import { payloadAddressForm } from '../../../contract/payloads/payload-place.js';
import type { KeptPayload, ListedPayloadStore } from './payload-store.js';

/** Keeps each payload as an object in a folder of a bucket, in S3 or in what speaks its protocol. Credentials come from the usual chain of AWS. */
export class S3PayloadStore implements ListedPayloadStore {
  private constructor(
    private readonly bucket: S3Bucket,
    private readonly folder: string,
  ) {}

  /**
   * @param address `s3://BUCKET/FOLDER?region=REGION&endpoint=URL`, of which the bucket alone is required
   * @throws TactusError usage where the address is none; missing_package
   */
  static async open(address: string): Promise<S3PayloadStore> {
    const place = readStoreAddress(address, payloadAddressForm);
    return new S3PayloadStore(await S3Bucket.open(place), place.folder === '' ? '' : `${place.folder}/`);
  }

  put(key: string, data: Uint8Array): Promise<void> {
    return this.bucket.put({ Key: this.folder + key, Body: data, ContentType: 'application/octet-stream' });
  }

  async get(key: string): Promise<Uint8Array | null> {
    const found = await this.bucket.get(this.folder + key);
    return (await found?.Body?.transformToByteArray()) ?? null;
  }

  async has(key: string): Promise<boolean> {
    return (await this.bucket.describe(this.folder + key)) !== null;
  }

  async list(prefix: string): Promise<KeptPayload[]> {
    const found: KeptPayload[] = [];
    for await (const page of this.bucket.objects(this.folder, { prefix }))
      for (const { key, size, at } of page) found.push({ key, size, at });
    return found;
  }

  remove(key: string): Promise<void> {
    return this.bucket.delete(this.folder + key);
  }
}
