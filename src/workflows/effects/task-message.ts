import { maxTaskBytes } from '../../contract/runs/limits.js';

/**
 * The message that takes what is begun between two barriers to the server: all of it goes out at once.
 *
 * Owns: how many bytes are in it.
 */
export class TaskMessage {
  private bytes = 0;

  /** False where so much more is too much. */
  add(bytes: number): boolean {
    if (this.bytes + bytes > maxTaskBytes) return false;
    this.bytes += bytes;
    return true;
  }

  /** The same of what can't be divided: a message that is empty takes it, however large it is. */
  addPart(bytes: number): boolean {
    if (this.bytes > 0) return this.add(bytes);
    this.bytes = bytes;
    return true;
  }

  sent(): void {
    this.bytes = 0;
  }
}
