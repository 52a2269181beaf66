import { randomUUID } from 'node:crypto';
import picocolors from 'picocolors';
import { logLevels, type LogFormat, type LogLevel } from '../../contract/environment.js';
import type { RunError } from '../../contract/errors.js';
import type { Shown } from '../../contract/runs/run-view.js';
import { plainText } from '../../contract/text/plain-text.js';

export interface ScreenOptions {
  json: boolean;
  quiet: boolean;
  color: boolean;
}

/** How a service writes what it says to stderr. */
export interface LogSettings {
  /** `json`: each is a line of JSON, with `time`, `level` and `message`. */
  format: LogFormat;
  /** What is below it isn't said. */
  level: LogLevel;
}

/** What one line is about besides its message: ids, names and numbers, and no content. */
export type LogFields = Readonly<Record<string, string | number | undefined>>;

const progressMs = 5_000;

/**
 * What a command says and where: stdout holds what was asked for, and under --json one document alone; progress,
 * hints and errors go to stderr. All text passes `write`, so that no terminal obeys what somebody else has written.
 */
export class Screen {
  readonly paint = paint;
  /** As a command says it, until a service says how. */
  private logging: LogSettings | null = null;
  private isMidLine = false;
  private isSaying = false;
  private readonly notedOnce = new Set<string>();

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

  /** From now on, what goes to stderr is the log of a service. */
  logBy(settings: LogSettings): void {
    this.logging = settings;
  }

  /** Progress and hints. */
  note(text: string): void {
    if (!this.options.quiet) this.log('info', text);
  }

  /** Progress that comes often: it is said every five seconds. @returns what is given each step */
  progress<T>(text: (step: T) => string): (step: T) => void {
    let next = Date.now() + progressMs;
    return (step) => {
      if (Date.now() < next) return;
      next = Date.now() + progressMs;
      this.note(text(step));
    };
  }

  /** The same for what a command may come upon again and again. */
  noteOnce(text: string): void {
    if (!this.notedOnce.has(text)) this.note(text);
    this.notedOnce.add(text);
  }

  /** What must be seen in any case. */
  warn(text: string): void {
    this.log('warn', text);
  }

  /** What ended a command. */
  error(text: string): void {
    this.log('error', text);
  }

  /** What is said to stderr: a text for people, or a line of JSON for programs. */
  log(level: LogLevel, message: string, fields: LogFields = {}): void {
    const { format, level: least } = this.logging ?? { format: 'text', level: 'info' };
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
    if (format === 'json') {
      const line = {
        time: new Date().toISOString(),
        level,
        message: terminalText(message, false),
        ...fields,
      };
      process.stderr.write(`${jsonText(line)}\n`);
      return;
    }
    this.endLine();
    const mark = level === 'error' ? `${this.paint.red('error')} ` : '';
    this.write(process.stderr, `${mark}${message}\n`);
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

type Colour = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

/** Colours parts of a text that is to be shown. */
export type Paint = Readonly<Record<Colour, (text: string) => string>>;

/** Stands before our own colours, and can't be guessed: nothing that somebody else has written is taken for one. */
const mark = randomUUID();

const ownColour = new RegExp(`${mark}(\u001b\\[\\d+m)`);
const colours = picocolors.createColors(true);

export const paint: Paint = {
  bold: painted('bold'),
  cyan: painted('cyan'),
  dim: painted('dim'),
  green: painted('green'),
  red: painted('red'),
  yellow: painted('yellow'),
};

function painted(colour: Colour): (text: string) => string {
  const [begin, end] = colours[colour]('|').split('|');
  return (text) => `${mark}${begin}${text}${mark}${end}`;
}

/** What is written to a terminal: our colours, if they are wanted, and of everything else only what can be seen. */
export function terminalText(text: string, hasColours: boolean): string {
  return text
    .split(ownColour)
    .map((part, index) => (index % 2 === 0 ? plainText(part) : hasColours ? part : ''))
    .join('');
}

/** ` (file:line)` after a message that doesn't say where it is about; else nothing. */
export function placeText({ message, file, line }: Pick<RunError, 'message' | 'file' | 'line'>): string {
  if (file === null) return '';
  if (line === null) return message.includes(file) ? '' : ` (${file})`;
  return message.includes(`${file}:`) ? '' : ` (${file}:${line})`;
}

/** Control and direction characters that JSON itself leaves as they are, and a terminal would obey. */
const controls = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A value as JSON that is safe to look at: what a terminal would obey is escaped, and means the same to whoever reads it. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    controls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
