import { readFileSync } from 'node:fs';

/** The fenced code blocks of one language in a file of the project, in order. */
export function codeBlocks(path: string, language: string): string[] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, tag, code]) =>
    tag === language && code !== undefined ? [code] : [],
  );
}
