import { plainText } from '../contract/text/plain-text.js';

/**
 * A text as a quoted label. Written as entities: what Mermaid takes for its own (quotes, brackets, `#`, `;`), what it
 * takes for Markdown (lists, emphasis, links), and a backslash, which with an `n` would end the line.
 */
export function mermaidLabel(text: string): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  const escaped = line.replace(
    /[#"<>&;*`[\]\\~@|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=^\d+)[.)]|^[-+=]|:(?=\/\/)|(?<=\bwww)\./g,
    (character) => `#${character.charCodeAt(0)};`,
  );
  return `"${escaped}"`;
}
