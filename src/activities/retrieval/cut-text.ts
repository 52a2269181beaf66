import type { Chunking } from '../../contract/retrieval/retrieval.js';

/** A piece of a text, and where it stands there, in UTF-16 units. */
export interface Chunk {
  start: number;
  end: number;
  text: string;
}

/** Cuts a text into what is looked up. Pieces of nothing but space are left out. */
export function cutText(text: string, chunking: Chunking): Chunk[] {
  return spansOf(text, chunking)
    .map(([start, end]) => ({ start, end, text: text.slice(start, end) }))
    .filter((chunk) => chunk.text.trim() !== '');
}

type Span = readonly [start: number, end: number];

function spansOf(text: string, chunking: Chunking): Span[] {
  switch (chunking.by) {
    case 'whole':
      return [[0, text.length]];
    case 'paragraph':
      return matches(text, /\S(?:[^\n]|\n(?![^\S\n]*(?:\n|$)))*/g);
    case 'words': {
      const words = matches(text, /\S+/g);
      return windows(words.length, chunking).map(
        ([first, last]) => [words[first]?.[0] ?? 0, words[last - 1]?.[1] ?? 0] as const,
      );
    }
    case 'characters':
      return windows(text.length, chunking).map(
        ([start, end]) => [whole(text, start), whole(text, end)] as const,
      );
  }
}

function matches(text: string, pattern: RegExp): Span[] {
  return [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length]);
}

function windows(length: number, { size, overlap }: { size: number; overlap: number }): Span[] {
  const spans: Span[] = [];
  for (let start = 0; start < length; start += size - overlap) {
    const end = Math.min(start + size, length);
    spans.push([start, end]);
    if (end === length) break;
  }
  return spans;
}

/** Not between the two halves of a character. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
