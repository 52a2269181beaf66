import type { ContextPolicy } from './context-policy.js';

/** Tokens as the reference estimates them. */
export function countWords(text: string): number {
  return wordsOf(text).length;
}

/** A text of so many words at most; of one that has more the beginning, or its first sentence. */
export function cutWords(text: string, most: number, cutting: ContextPolicy['cutting'] = 'truncate'): string {
  if (countWords(text) <= most) return text;
  const kept = cutting === 'summary' ? (text.split('. ').find((each) => each !== '') ?? '').trim() : text;
  const words = wordsOf(kept);
  return words.length <= most ? kept : words.slice(0, most).join(' ');
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
