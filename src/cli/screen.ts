import picocolors from 'picocolors';
import type { Shown } from '../contract/printed.js';
import { plainText } from './plain-text.js';

export interface ScreenOptions {
  json: boolean;
  quiet: boolean;
  color: boolean;
}

/**
 * What a command says and where: stdout holds what was asked for, and under --json one document alone; progress,
 * hints and errors go to stderr.
 */
export class Screen {
  readonly paint: ReturnType<typeof picocolors.createColors>;
  private isMidLine = false;

  constructor(readonly options: ScreenOptions) {
    this.paint = this.painter(process.stderr);
  }

  /** Colours for what is written to a stream: none where they aren't wanted, or nobody would see them. */
  painter(stream: NodeJS.WriteStream): ReturnType<typeof picocolors.createColors> {
    const { color } = this.options;
    // A stream that is no terminal has no isTTY at all, and undefined would be taken for "find out".
    return picocolors.createColors(color && Boolean(stream.isTTY) && process.env['NO_COLOR'] === undefined);
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
    process.stderr.write(`${plainButPainted(text)}\n`);
  }

  /** A line that the procedure printed or logged, or a warning about it. */
  shown(line: Shown): void {
    if (line.kind === 'print' && this.options.json) this.warn(line.text);
    else if (line.kind === 'print') this.out(plainText(line.text));
    else if (line.kind === 'warning') this.note(this.paint.yellow(line.message));
    else this.note(this.paint.dim(`[${line.level}] ${line.message}${contextText(line.context)}`));
  }

  /** A piece of a text that a model is writing. */
  stream(text: string): void {
    process.stderr.write(this.paint.dim(plainText(text)));
    this.isMidLine = !text.endsWith('\n');
  }

  /** What a person asked for. */
  out(text: string): void {
    this.endLine();
    process.stdout.write(`${text}\n`);
  }

  /** The answer of the command: the document under --json, else what `text` makes of it. */
  answer(document: unknown, text: () => string): void {
    if (this.options.json) process.stdout.write(`${JSON.stringify(document)}\n`);
    else {
      const shown = text();
      if (shown !== '') this.out(shown);
    }
  }

  private endLine(): void {
    if (this.isMidLine) process.stderr.write('\n');
    this.isMidLine = false;
  }
}

// eslint-disable-next-line no-control-regex
const colour = /(\u001b\[[0-9;]{1,8}m)/;

/** Our own colours stay: what looks like one and isn't is taken out with everything else. */
function plainButPainted(text: string): string {
  return text
    .split(colour)
    .map((part, index) => (index % 2 === 1 ? part : plainText(part)))
    .join('');
}

function contextText(context: unknown): string {
  const isEmpty = context === null || (typeof context === 'object' && Object.keys(context).length === 0);
  return isEmpty ? '' : ` ${JSON.stringify(context)}`;
}
