/** Words between which models write what they think into their answer. */
const marks = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<reasoning>', '</reasoning>'],
  ['[THINK]', '[/THINK]'],
] as const;

/** An answer without what the model thought before it, where its server doesn't part the two. */
export interface SpokenAnswer {
  text: string;
  hasThought: boolean;
}

export function spokenAnswer(text: string): SpokenAnswer {
  let rest = text;
  for (let thought = thoughtAt(rest); thought !== null; thought = thoughtAt(rest)) {
    const end = rest.indexOf(thought.close, thought.start);
    rest = end < 0 ? '' : rest.slice(end + thought.close.length);
  }
  const spoken = afterLoneClose(rest);
  return spoken === text ? { text, hasThought: false } : { text: spoken.trimStart(), hasThought: true };
}

/** Where a thought begins the text. */
function thoughtAt(text: string): { start: number; close: string } | null {
  const start = text.search(/\S/);
  const found = marks.find(([open]) => start >= 0 && text.startsWith(open, start));
  return found === undefined ? null : { start: start + found[0].length, close: found[1] };
}

/** Templates of some models begin the thought themselves: all that comes of its marks is its end, on a line of its own. */
function afterLoneClose(text: string): string {
  for (const [open, close] of marks) {
    const at = text.indexOf(close);
    if (at < 0 || text.slice(0, at).includes(open)) continue;
    const after = text.slice(at + close.length);
    if (/(^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - 80), at)) || /^\s*(\n|$)/.test(after)) return after;
  }
  return text;
}

/** Passes on what is said, as it comes, without the thought that it begins with. */
export class SpokenPieces {
  private held = '';
  private isSpeaking = false;
  private hasThought = false;

  constructor(private readonly onText: (text: string) => void) {}

  add(piece: string): void {
    if (this.isSpeaking) {
      this.onText(piece);
      return;
    }
    this.held += piece;
    for (let thought = thoughtAt(this.held); thought !== null; thought = thoughtAt(this.held)) {
      const end = this.held.indexOf(thought.close, thought.start);
      if (end < 0) return;
      this.held = this.held.slice(end + thought.close.length);
      this.hasThought = true;
    }
    const begun = this.held.trimStart();
    if (this.hasThought) this.held = begun;
    if (!marks.some(([open]) => open.startsWith(begun))) this.speak();
  }

  /** What may have been the beginning of a mark is none. */
  end(): void {
    if (thoughtAt(this.held) === null) this.speak();
  }

  private speak(): void {
    this.isSpeaking = true;
    if (this.held !== '') this.onText(this.held);
    this.held = '';
  }
}
