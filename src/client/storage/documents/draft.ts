import { randomUUID } from 'node:crypto';
import type { PartLimits, PartStore } from './document-store.js';
import { namesOf, writeText, type PartRef } from './parts.js';

/**
 * The parts that a change writes before the head that refers to them. Their names begin with the number of the change, and no
 * other attempt at it has the same.
 */
export class Draft {
  readonly names: string[] = [];
  readonly #begin: string;
  #texts = 0;

  constructor(
    private readonly store: PartStore,
    private readonly procedureId: string,
    readonly change: number,
  ) {
    this.#begin = `${numbered(change)}-${randomUUID().slice(0, 8)}`;
  }

  get limits(): PartLimits {
    return this.store.limits;
  }

  async write(text: string): Promise<PartRef> {
    const name = `${this.#begin}-${numbered(this.#texts++)}`;
    const ref = await writeText(this.store, this.procedureId, name, text);
    this.names.push(...namesOf(ref));
    return ref;
  }
}

/** Behind the names of all parts that the changes up to this one have written. */
export function behindChange(change: number): string {
  return `${numbered(change)}~`;
}

/** In the order of numbers, texts of them are in that of characters. */
function numbered(number: number): string {
  return String(number).padStart(10, '0');
}
