/** A stretch of a text as it is, or a character that nobody would see, and how often it stands there. */
export type TextPart = string | { code: string; times: number };

/**
 * What a browser obeys or doesn't show: control characters but tab and line feed, what turns the direction of writing, what
 * has no width, tags. The joiners that scripts and emoji need are left alone.
 */
const unseen =
  // eslint-disable-next-line no-control-regex
  /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff])\1*/gu;

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
