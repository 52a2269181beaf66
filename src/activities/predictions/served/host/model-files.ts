import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TactusError } from '../../../../contract/errors.js';

/** The files of a model as they are now. */
export interface ModelFiles {
  /** In order of their names, below the folder that they lie in together. */
  files: { name: string; path: string; stamp: string }[];
  bytes: number;
  /** Another one as soon as any of them is. */
  stamp: string;
}

/** @throws TactusError predict_failed for one that is no file, or lies outside of the folder of models */
export async function lookAtFiles(
  paths: readonly string[],
  place: string,
  root: string,
): Promise<ModelFiles> {
  const folder = paths.length === 1 && paths[0] === place ? dirname(place) : place;
  const files = [];
  let bytes = 0;
  for (const path of [...paths].sort()) {
    const name = relative(folder, path);
    const real = await realpath(path);
    if (relative(root, real).split(sep)[0] === '..')
      throw new TactusError('predict_failed', `${name} is a link that leaves the folder of models`);
    const stats = await stat(real, { bigint: true });
    if (!stats.isFile()) throw new TactusError('predict_failed', `${name} is no file`);
    bytes += Number(stats.size);
    const { ino, size, mtimeNs, ctimeNs } = stats;
    files.push({ name, path: real, stamp: [real, ino, size, mtimeNs, ctimeNs].join(':') });
  }
  return { files, bytes, stamp: files.map(({ stamp }) => stamp).join('\n') };
}

/** Hashes of files that were read, by what they looked like then. */
const known = new Map<string, string>();
const mostKnown = 10_000;

/** `sha256:…`: of one file its hash, of several that of the lines that `sha256sum` says of them. */
export async function versionOf({ files }: ModelFiles): Promise<string> {
  const lines = [];
  for (const { name, path, stamp } of files)
    lines.push({ name, hash: known.get(stamp) ?? (await read(path, stamp)) });
  const [first] = lines;
  if (lines.length === 1 && first !== undefined) return `sha256:${first.hash}`;
  const text = lines.map(({ name, hash }) => `${hash}  ${name.split(sep).join('/')}\n`).join('');
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

async function read(path: string, stamp: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const digest = hash.digest('hex');
  if (known.size >= mostKnown) known.clear();
  known.set(stamp, digest);
  return digest;
}

/** What a library says of a file, without where the worker keeps it. */
export function withoutPlace(message: string, place: string): string {
  return message.replaceAll(place, basename(place)).replaceAll(dirname(place) + sep, '');
}

/** Weights of large models: `model.onnx.data`, `model.onnx_data`, `model.onnx_data_1`. */
export async function dataBeside(file: string): Promise<string[]> {
  const name = basename(file);
  const names = await readdir(dirname(file));
  return names
    .filter((each) => each.startsWith(`${name}.data`) || each.startsWith(`${name}_data`))
    .map((each) => join(dirname(file), each));
}
