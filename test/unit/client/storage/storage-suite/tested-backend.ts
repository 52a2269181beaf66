import { randomUUID } from 'node:crypto';
import { afterEach } from 'vitest';
import type { StorageBackend } from '../../../../../src/client/storage/storage-backend.js';

/** A kind of storage, as the suite needs it. */
export interface TestedBackend {
  name: string;
  /** What keeps the records in the test. */
  real: string;
  /** Opens a place, which is empty when it is named first. Several may have it open. */
  open: (place: string) => StorageBackend | Promise<StorageBackend>;
  /** Checks that can't apply, by their names, and why. */
  unable?: [check: RegExp, reason: string][];
  /** How many records are filled in quickly. */
  many: number;
  /**
   * Spoils what is kept of a procedure, past the backend: its state, or the entry at a position of its log. Left out: nobody
   * can get at it.
   */
  damage?: (place: string, procedureId: string, what: 'state' | number) => Promise<void>;
  /** All that is kept of a procedure, as it is kept. */
  kept?: (place: string, procedureId: string) => Promise<string>;
}

/** Opens new places for the checks of a backend; what they have opened is closed behind them. */
export function opener({ open }: TestedBackend): (place?: string) => Promise<StorageBackend> {
  const opened: StorageBackend[] = [];
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close?.();
  });
  return async (place = newPlace()) => {
    const storage = await open(place);
    opened.push(storage);
    return storage;
  };
}

export function newPlace(): string {
  return `place_${randomUUID().replaceAll('-', '')}`;
}
