import { TactusError } from '../../contract/errors.js';

const frontMatter = /^---[ \t]*\r?\n[^]*?\r?\n---[ \t]*(\r?\n|$)/;

/**
 * The text of a file. What stands between lines of `---` at the beginning of Markdown describes it, and becomes spaces: places in
 * the text are places in the file.
 * @throws TactusError retrieval_failed naming the path
 */
export function textOf(bytes: Uint8Array, path: string): string {
  const text = decoded(bytes);
  if (text === null || text.includes('\0'))
    throw new TactusError('retrieval_failed', `${path} is no text in UTF-8`, { path });
  if (!/\.(md|markdown)$/i.test(path)) return text;
  return text.replace(frontMatter, (described) => described.replace(/[^\n]/g, ' '));
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
