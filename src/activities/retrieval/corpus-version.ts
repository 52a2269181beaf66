import { createHash } from 'node:crypto';

/** `sha256:…` of the lines that `sha256sum` says of the files. */
export function corpusVersion(files: readonly { path: string; hash: string }[]): string {
  const hash = createHash('sha256');
  for (const { path, hash: digest } of files) hash.update(`${digest}  ${path}\n`);
  return `sha256:${hash.digest('hex')}`;
}
