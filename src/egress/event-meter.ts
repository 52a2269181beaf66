/** The end of an event: an empty line, as lines may end. */
const end = /\r\n\r\n|\n\n|\r\r/g;
const longestEnd = 4;

/** Measures a stream of events. Whoever reads it keeps the event that it is in the middle of whole. */
export class EventMeter {
  /** Bytes since the end of the last event. */
  size = 0;
  /** How many have ended. */
  events = 0;
  private tail = '';

  add(piece: Uint8Array): void {
    // An end may be spread over two pieces. In this encoding a character is a byte.
    const seen = this.tail + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1');
    let after = -1;
    for (const found of seen.matchAll(end)) {
      after = found.index + found[0].length;
      this.events++;
    }
    this.size = after === -1 ? this.size + piece.length : seen.length - after;
    // What ended an event ends no second one.
    this.tail = seen.slice(Math.max(after, seen.length - (longestEnd - 1), 0));
  }
}
