import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../client/storage/read-if-there.js';
import { writeAtomically } from '../../client/storage/write-atomically.js';
import type { PayloadStore } from './payload-store.js';

/** Keeps each payload in a file of one folder, which workers on several machines share over a network file system. */
export class FilePayloadStore implements PayloadStore {
  constructor(private readonly folder: string) {}

  put(key: string, data: Uint8Array): Promise<void> {
    return writeAtomically(this.path(key), data);
  }

  async get(key: string): Promise<Uint8Array | null> {
    try {
      return await readFile(this.path(key));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  private path(key: string): string {
    return join(this.folder, key);
  }
}
