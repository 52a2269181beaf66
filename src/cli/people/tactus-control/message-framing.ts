import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';

/** Ten digits and a line feed: the length of what follows, in bytes. */
const prefixBytes = 11;
/** An answer of a person is far smaller. */
const maxMessageBytes = 1024 * 1024;

/** A message as the reference frames it. */
export function framed(message: JsonObject): Buffer {
  const text = Buffer.from(JSON.stringify(message), 'utf8');
  return Buffer.concat([Buffer.from(`${String(text.length).padStart(10, '0')}\n`), text]);
}

/** Puts the messages of one connection together as their bytes come. */
export class MessageReader {
  private held: Buffer = Buffer.alloc(0);

  /**
   * @returns the messages that are complete now
   * @throws Error where the bytes are no messages
   */
  read(bytes: Buffer): JsonObject[] {
    this.held = Buffer.concat([this.held, bytes]);
    const messages: JsonObject[] = [];
    while (this.held.length >= prefixBytes) {
      const length = lengthOf(this.held.subarray(0, prefixBytes).toString('latin1'));
      if (this.held.length < prefixBytes + length) break;
      messages.push(parse(this.held.subarray(prefixBytes, prefixBytes + length).toString('utf8')));
      this.held = this.held.subarray(prefixBytes + length);
    }
    return messages;
  }
}

function lengthOf(prefix: string): number {
  const length = /^\d{10}\n$/.test(prefix) ? Number(prefix) : NaN;
  if (!(length > 0)) throw new Error(`what comes is no message: it begins with ${JSON.stringify(prefix)}`);
  if (length > maxMessageBytes)
    throw new Error(`a message of ${length} bytes is larger than the ${maxMessageBytes} that are taken`);
  return length;
}

function parse(text: string): JsonObject {
  const message = JSON.parse(text) as JsonValue;
  if (!isObject(message)) throw new Error('a message must be an object');
  return message;
}
