import { jsonSize, type JsonValue } from '../../../../contract/json/json.js';

/** Bytes of JSON that outputs of one answer may have: below what the server records. */
const room = 1_500_000;
/** Before it is known how large they are. */
const firstAsked = 32;

/** Outputs of one answer, as many as there is room for: the first one always. */
export class OutputRoom {
  readonly outputs: JsonValue[] = [];
  private bytes = 0;
  private isFull = false;

  get hasMore(): boolean {
    return !this.isFull;
  }

  /** How many are worth asking for next: some to begin with, then as many as there is room for by what came so far. */
  next(most: number): number {
    const count = this.outputs.length;
    if (count === 0) return Math.min(most, firstAsked);
    return Math.max(1, Math.min(most, Math.ceil(((room - this.bytes) * count) / this.bytes)));
  }

  add(output: JsonValue): void {
    const bytes = jsonSize(output) + 1;
    this.isFull ||= this.outputs.length > 0 && this.bytes + bytes > room;
    if (this.isFull) return;
    this.outputs.push(output);
    this.bytes += bytes;
  }
}
