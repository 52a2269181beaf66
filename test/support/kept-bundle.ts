import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { temporaryFolder } from './temporary-folder.js';

const folder = fileURLToPath(new URL('../replay/bundles', import.meta.url));
const ending = '.js.br';
const mapComment = '//# sourceMappingURL=';
/** The worker takes no bundle without a map. */
const emptyMap = Buffer.from(
  '{"version":3,"file":"workflow-bundle.js","sources":[],"names":[],"mappings":""}',
).toString('base64');

/** The released versions whose workflow code is kept. */
export function keptVersions(): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();
}

/** Unpacks the workflow code of a released version; gives where it is, for `workflowBundle: { codePath }`. */
export function keptBundle(version: string): string {
  const code = brotliDecompressSync(readFileSync(join(folder, version + ending)));
  const path = join(temporaryFolder('kept-bundle'), 'workflow-bundle.js');
  writeFileSync(path, `${code.toString()}${mapComment}data:application/json;base64,${emptyMap}\n`);
  return path;
}

/** Keeps a workflow bundle as that of a version, without its source map. */
export function keepBundle(version: string, builtPath: string): void {
  const built = readFileSync(builtPath, 'utf8');
  const code = Buffer.from(built.slice(0, built.lastIndexOf(mapComment)));
  mkdirSync(folder, { recursive: true });
  const packed = brotliCompressSync(code, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  writeFileSync(join(folder, version + ending), packed);
}
