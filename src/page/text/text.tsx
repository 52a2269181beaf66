import { useState } from 'preact/hooks';
import type { VNode } from 'preact';
import { visibleParts } from './visible-text.js';

/** So much of a text is shown before somebody asks for all of it. */
const shownFirst = 4_000;

interface TextProps {
  text: string;
  /** Where it stands in a line, with others: cut after so many characters, and its rest is not to be had there. */
  short?: number;
}

/** Text of a procedure, a model or a person: never read as HTML, with every character seen, and long ones cut. */
export function Text({ text, short }: TextProps): VNode {
  const [isWhole, setWhole] = useState(false);
  const limit = short ?? shownFirst;
  const isCut = text.length > limit && !isWhole;
  const shown = isCut ? cut(text, limit) : text;
  return (
    <bdi class={short === undefined ? 'text' : 'text text-short'}>
      {visibleParts(shown).map((part) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span class="unseen" title="A character that is not seen">
            {part.code}
            {part.times > 1 ? ` ×${part.times}` : ''}
          </span>
        ),
      )}
      {isCut && '…'}
      {isCut && short === undefined && (
        <button type="button" class="link show-all" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </bdi>
  );
}

/** Never within a pair of code units. */
function cut(text: string, length: number): string {
  const isPair = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, isPair ? length - 1 : length);
}
