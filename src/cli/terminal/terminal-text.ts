import { randomUUID } from 'node:crypto';
import picocolors from 'picocolors';
import type { RunError } from '../../contract/errors.js';
import { plainText } from '../../contract/text/plain-text.js';

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
