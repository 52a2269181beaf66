import { PassThrough, type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

const controlC = '\u0003';
// eslint-disable-next-line no-control-regex
const keysOf = /\u001b\[[\d;?]*[ -/]*[@-~]|\u001bO.|\u001b[^[O]?|[\s\S]/gu;

/**
 * The keyboard of the terminal from the first question on: it stays in raw mode between questions too, so that nothing
 * that is typed is shown, or left to the shell. Prompts read what is typed while they ask, one key at a time; what comes
 * between two questions was meant for neither, and is dropped.
 */
export class Keyboard {
  private asked: PassThrough | null = null;
  private readonly typed: string[] = [];
  private isPassing = false;

  /** `interrupt`: Ctrl-C while nothing is asked. */
  constructor(
    private readonly interrupt: () => void,
    private readonly terminal: NodeJS.ReadStream = process.stdin,
  ) {
    terminal.setRawMode(true);
    terminal.setEncoding('utf8');
    terminal.on('data', this.take);
    terminal.resume();
  }

  /** What is typed until the asking has ended is its. */
  async during<T>(ask: (input: Readable) => Promise<T>): Promise<T> {
    const asked = new PassThrough();
    this.asked = asked;
    try {
      return await ask(asked);
    } finally {
      this.asked = null;
      // Typed together with what ended the asking.
      if (this.typed.includes(controlC)) this.interrupt();
      this.typed.length = 0;
      asked.destroy();
    }
  }

  /** The terminal is as it was. */
  close(): void {
    this.terminal.off('data', this.take);
    this.terminal.pause();
    this.terminal.setRawMode(false);
  }

  private readonly take = (data: string | Buffer): void => {
    const text = String(data);
    if (this.asked === null) {
      if (text.includes(controlC)) this.interrupt();
      return;
    }
    this.typed.push(...(text.match(keysOf) ?? []));
    if (!this.isPassing) void this.pass();
  };

  /** A prompt ends with a key, and the next one of the same question begins a little later. */
  private async pass(): Promise<void> {
    this.isPassing = true;
    for (let key = this.typed.shift(); key !== undefined; key = this.typed.shift()) {
      this.asked?.write(key);
      await nextTurn();
    }
    this.isPassing = false;
  }
}
