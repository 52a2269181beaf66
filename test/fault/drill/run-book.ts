import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Its beginning holds for all: two commands to begin with. */
const [preface = '', ...sections] = readFileSync(
  join(import.meta.dirname, '../../../docs/production/run-books.md'),
  'utf8',
).split(/^## /m);

/** One run-book of docs/production/run-books.md. A drill takes from it what it looks for and what it does. */
export class RunBook {
  readonly #text: string;
  readonly #begun = Date.now();
  readonly #followed = new Set<string>();

  /** @throws Error where the page has no such section */
  constructor(readonly title: string) {
    const text = sections.find((section) => section.startsWith(`${title}\n`));
    if (text === undefined) throw new Error(`There is no run-book "${title}"`);
    this.#text = text;
  }

  /** A name or a text that the run-book says you see. @throws Error where it doesn't */
  sees(text: string): string {
    if (!`${preface}${this.#text}`.includes(`\`${text}\``))
      throw new Error(`"${this.title}" doesn't say \`${text}\``);
    return text;
  }

  /**
   * Arguments of a command as the run-book has it; `names` stand for its words in capitals.
   * @throws Error where it doesn't have the command
   */
  does(command: string, names: Readonly<Record<string, string>> = {}): string[] {
    this.#followed.add(this.sees(`tactus-temporal ${command}`));
    const words = command.match(/"[^"]*"|\S+/g) ?? [];
    return words.map((word) => names[word] ?? word.replaceAll('"', ''));
  }

  /** Commands of the run-book that nobody ran. */
  get left(): string[] {
    const commands = [...this.#text.matchAll(/`(tactus-temporal [^`]+)`/g)].map(
      ([, command = '']) => command,
    );
    return commands.filter((command) => !this.#followed.has(command));
  }

  /** Seconds since the cause. */
  get seconds(): number {
    return (Date.now() - this.#begun) / 1_000;
  }
}
