/** A stretch of a text as it is, or a character that nobody would see, and how often it stands there. */
export type TextPart = string | { code: string; times: number };

/** What a browser obeys or doesn't show: control characters but tab and line feed, ends of lines and blanks that pass for nothing, halves of characters. */
const controls = String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u2800\ufff9-\ufffb]`;
const halves = String.raw`[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]`;
/** What Unicode says is not to be shown: what has no width or turns the direction of writing, fillers, tags, variation selectors. */
const ignorable = String.raw`(?![\u180b-\u180d\u180f\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}`;
/** One of these after a sign is how an emoji is written, and after a letter of Mongolian how that is. */
const selectors = String.raw`(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier})(?<![0-9#*](?=\ufe0f\u20e3))[\ufe0e\ufe0f]`;
const mongolian = String.raw`(?<!\p{Script=Mongolian})[\u180b-\u180d\u180f]`;
/** Emoji and many scripts need joiners; in ours, between digits, and where nothing stands before them, they only hide. */
const plainScripts = String.raw`[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Common}\p{sc=Inherited}]`;
const joiners = String.raw`(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|(?!${plainScripts})[\p{L}\p{M}])[\u200c\u200d]`;

const patterns = [controls, halves, ignorable, selectors, mongolian, joiners];
// eslint-disable-next-line no-misleading-character-class -- each of them is meant by itself
const unseen = new RegExp(`(${patterns.join('|')})\\1*`, 'gu');

const eachUnseen = new RegExp(unseen.source.replace('\\1*', ''), 'gu');

/** So many are named one by one; in a text that has more, the others are shown as one sign each. */
const mostNamed = 500;
const sign = '\ufffd';

/** A text, so that everything in it is seen. */
export function visibleParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  let rest = '';
  let named = 0;
  const lines = text.replace(/\r\n?/g, '\n');
  for (const match of lines.matchAll(unseen)) {
    if (++named > mostNamed) {
      rest += lines.slice(from).replace(eachUnseen, sign);
      from = lines.length;
      break;
    }
    rest += lines.slice(from, match.index);
    from = match.index + match[0].length;
    const character = match[1] ?? '';
    const times = match[0].length / character.length;
    if (rest !== '') parts.push(rest);
    rest = '';
    parts.push({ code: codeOf(character), times });
  }
  rest += lines.slice(from);
  if (rest !== '') parts.push(rest);
  return parts;
}

/** The same as one text, for attributes and titles. */
export function visibleLine(text: string): string {
  return visibleParts(text)
    .map((part) =>
      typeof part === 'string' ? part : `⟨${part.code}${part.times > 1 ? ` ×${part.times}` : ''}⟩`,
    )
    .join('');
}

/** How many characters of a text nobody would see. */
export function countUnseen(text: string): number {
  let count = 0;
  for (const match of text.matchAll(unseen)) count += match[0].length / (match[1]?.length ?? 1);
  return count;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
