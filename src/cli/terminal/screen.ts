import type { Shown } from '../../contract/runs/run-view.js';
import { jsonText, paint, terminalText } from './terminal-text.js';

export interface ScreenOptions {
  json: boolean;
  quiet: boolean;
  color: boolean;
}

/**
 * What a command says and where: stdout holds what was asked for, and under --json one document alone; progress,
 * hints and errors go to stderr. All text passes `write`, so that no terminal obeys what somebody else has written.
 */
export class Screen {
  readonly paint = paint;
  private isMidLine = false;
  private isSaying = false;

  constructor(readonly options: ScreenOptions) {}

  /** Whether colours are wanted on a stream, and somebody would see them. */
  hasColours({ isTTY }: Pick<NodeJS.WriteStream, 'isTTY'>): boolean {
    // A stream that is no terminal has no isTTY at all.
    return this.options.color && Boolean(isTTY) && process.env['NO_COLOR'] === undefined;
  }

  /** A person can be asked here. */
  get isInteractive(): boolean {
    return !this.options.json && process.stdin.isTTY && process.stderr.isTTY;
  }

  /** Whether text is shown while a model writes it. */
  get streams(): boolean {
    return !this.options.json && !this.options.quiet && process.stderr.isTTY;
  }

  /** Whether lines of a run are shown as they appear. */
  get showsLines(): boolean {
    return !(this.options.json && this.options.quiet);
  }

  /** Progress and hints. */
  note(text: string): void {
    if (!this.options.quiet) this.warn(text);
  }

  /** What must be seen in any case. */
  warn(text: string): void {
    this.endLine();
    this.write(process.stderr, `${text}\n`);
  }

  /** A line that the procedure printed or logged, or a warning about it. */
  shown(line: Shown): void {
    if (line.kind === 'print' && this.options.json) this.warn(line.text);
    else if (line.kind === 'print') this.out(line.text);
    else if (line.kind === 'warning') this.note(this.paint.yellow(line.message));
    else this.note(this.paint.dim(`[${line.level}] ${line.message}${contextText(line.context)}`));
  }

  /** A piece of a text that a model is writing. */
  stream(text: string): void {
    this.write(process.stderr, this.paint.dim(text));
    this.isMidLine = !text.endsWith('\n');
  }

  /** A piece of a text that was asked for. */
  say(text: string): void {
    this.write(process.stdout, text);
    this.isSaying = !text.endsWith('\n');
  }

  /** Such a text is over. */
  endSaying(): void {
    if (this.isSaying) process.stdout.write('\n');
    this.isSaying = false;
  }

  /** One of many documents, each a line. */
  line(document: unknown): void {
    process.stdout.write(`${jsonText(document)}\n`);
  }

  /** What a person asked for. */
  out(text: string): void {
    this.endLine();
    this.write(process.stdout, `${text}\n`);
  }

  /** A file as it is. A program gets every byte, a person sees what can be seen. */
  file(text: string): void {
    if (process.stdout.isTTY) this.write(process.stdout, text);
    else process.stdout.write(text);
  }

  /** The answer of the command: the document under --json, else what `text` makes of it. */
  answer(document: unknown, text: () => string): void {
    if (this.options.json) process.stdout.write(`${jsonText(document)}\n`);
    else {
      const shown = text();
      if (shown !== '') this.out(shown);
    }
  }

  private endLine(): void {
    if (this.isMidLine) process.stderr.write('\n');
    this.isMidLine = false;
  }

  private write(stream: NodeJS.WriteStream, text: string): void {
    stream.write(terminalText(text, this.hasColours(stream)));
  }
}

function contextText(context: unknown): string {
  const isEmpty = context === null || (typeof context === 'object' && Object.keys(context).length === 0);
  return isEmpty ? '' : ` ${jsonText(context)}`;
}
