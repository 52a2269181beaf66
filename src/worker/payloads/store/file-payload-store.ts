import type { Stats } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, writeAtomically } from '../../../client/storage/index.js';
import type { KeptPayload, ListedPayloadStore } from './payload-store.js';

/** Keeps each payload in a file of one folder, which workers on several machines share over a network file system. */
export class FilePayloadStore implements ListedPayloadStore {
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

  async has(key: string): Promise<boolean> {
    return (await this.statsOf(key)) !== null;
  }

  async look(key: string): Promise<KeptPayload | null> {
    const stats = await this.statsOf(key);
    return stats === null ? null : { key, size: stats.size, at: stats.mtimeMs };
  }

  async list(prefix: string): Promise<KeptPayload[]> {
    const names = await readdir(this.folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const found: KeptPayload[] = [];
    for (const key of names.filter((name) => name.startsWith(prefix))) {
      const kept = await this.look(key);
      if (kept !== null) found.push(kept);
    }
    return found;
  }

  async remove(key: string): Promise<void> {
    await rm(this.path(key), { force: true });
  }

  private async statsOf(key: string): Promise<Stats | null> {
    try {
      return await stat(this.path(key));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  private path(key: string): string {
    return join(this.folder, key);
  }
}
