import { readStoreAddress, S3Bucket } from '../../../client/storage/index.js';
import { payloadAddressForm } from '../../../contract/payloads/payload-place.js';
import type { KeptPayload, ListedPayloadStore } from './payload-store.js';

/**
 * Keeps each payload as an object in a folder of a bucket, in S3 or in what speaks its protocol. Credentials come from the usual chain of AWS.
 * The package of AWS is loaded when a payload is put or asked for: most commands do neither.
 */
export class S3PayloadStore implements ListedPayloadStore {
  private readonly folder: string;
  private opened: Promise<S3Bucket> | null = null;
  private readonly open: () => Promise<S3Bucket>;

  /**
   * @param address `s3://BUCKET/FOLDER?region=REGION&endpoint=URL`, of which the bucket alone is required
   * @throws TactusError usage where the address is none; by everything else missing_package and file_failed
   */
  constructor(address: string) {
    const place = readStoreAddress(address, payloadAddressForm);
    this.folder = place.folder === '' ? '' : `${place.folder}/`;
    this.open = () => S3Bucket.open(place);
  }

  async put(key: string, data: Uint8Array): Promise<void> {
    const object = { Key: this.folder + key, Body: data, ContentType: 'application/octet-stream' };
    await (await this.bucket()).put(object);
  }

  async get(key: string): Promise<Uint8Array | null> {
    return (await (await this.bucket()).get(this.folder + key))?.bytes ?? null;
  }

  async has(key: string): Promise<boolean> {
    return (await this.look(key)) !== null;
  }

  async look(key: string): Promise<KeptPayload | null> {
    const found = await (await this.bucket()).head(this.folder + key);
    return found === null ? null : { key, size: found.size, at: found.at };
  }

  async list(prefix: string): Promise<KeptPayload[]> {
    const found: KeptPayload[] = [];
    for await (const page of (await this.bucket()).objects(this.folder, { prefix })) found.push(...page);
    return found;
  }

  async remove(key: string): Promise<void> {
    await (await this.bucket()).delete(this.folder + key);
  }

  private bucket(): Promise<S3Bucket> {
    this.opened ??= this.open().catch((error: unknown) => {
      this.opened = null;
      throw error;
    });
    return this.opened;
  }
}
