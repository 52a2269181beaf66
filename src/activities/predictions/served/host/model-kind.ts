import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TactusError, type ErrorCode } from '../../../../contract/errors.js';
import { isObject, jsonSize, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';
import type { ServedType } from '../../../../contract/predictions/served-model.js';

/** What the process that runs models is asked. */
export interface HostRequest {
  type: HostedType;
  /** The model's file or folder, really: no link. */
  place: string;
  /** The worker's folder of models, really; none of the model's files lies outside. */
  root: string;
  /** The place as the procedure names it. */
  path: string;
  settings: JsonObject;
  /** None: the model is loaded alone. */
  inputs: JsonValue[];
  /** Bytes of model files that are held at once. */
  memoryBytes: number;
}

/** What became of the models that are held, for the worker's log. */
export interface ModelsHeld {
  /** Left out: it was there already. */
  loaded?: { path: string; bytes: number; ms: number };
  /** Paths of those that had to give way. */
  dropped: string[];
}

export type HostAnswer =
  | { ok: true; outputs: JsonValue[]; version: string; held: ModelsHeld }
  | { ok: false; code: ErrorCode; message: string; retryable: boolean; held: ModelsHeld };

/** Types of models that a worker loads into a process beside it. */
export const hostedTypes = [
  'onnx',
  'bert',
  'hf_sequence_classifier',
  'sentence_transformers',
] as const satisfies readonly ServedType[];

export type HostedType = (typeof hostedTypes)[number];

/** What a procedure says of a model, and where it lies. */
export interface ModelPlace {
  /** File or folder, really. */
  place: string;
  /** As the procedure names it. */
  path: string;
  settings: JsonObject;
}

/** A model in memory. */
export interface LoadedModel {
  /**
   * Asks about all inputs, or about as many as an answer has room for.
   * @param settings of whoever asks: the same model may be asked in several ways
   * @throws TactusError predict_failed for inputs that it can't take
   */
  run(inputs: readonly JsonValue[], settings: JsonObject): Promise<JsonValue[]>;
  dispose(): Promise<void>;
}

/** How models of one type are loaded. */
export interface ModelKind {
  /**
   * The files that a model consists of.
   * @throws TactusError predict_failed where one is missing
   */
  files(model: ModelPlace): Promise<string[]>;
  /** Settings that make another model of the same files. */
  variant(model: ModelPlace): JsonValue;
  load(model: ModelPlace): Promise<LoadedModel>;
}

/** Names of classes, in the order of the model's outputs. */
export type Labels = readonly string[];

/**
 * A list of names, or a table of them by their number from 0.
 * @throws TactusError predict_failed
 */
export function readLabels(given: JsonValue): Labels | null {
  if (given === null) return null;
  const list = isObject(given) ? Object.keys(given).map((_, i) => given[String(i)] ?? null) : given;
  if (!Array.isArray(list) || list.length === 0 || !list.every((each) => typeof each === 'string'))
    throw predictFailed('labels must be a list of names, or a table of them by their number from 0');
  const labels = list;
  const double = labels.find((label, i) => labels.indexOf(label) !== i);
  if (double !== undefined) throw predictFailed(`labels has ${JSON.stringify(double)} twice`);
  return labels;
}

export function predictFailed(problem: string): TactusError {
  return new TactusError('predict_failed', problem);
}

/** Bytes of JSON that outputs of one answer may have: below what the server records. */
const room = 1_500_000;
/** Before it is known how large they are. */
const firstAsked = 32;

/** Outputs of one answer, as many as there is room for: the first one always. */
export class OutputRoom {
  readonly outputs: JsonValue[] = [];
  private bytes = 0;
  private isFull = false;

  get hasMore(): boolean {
    return !this.isFull;
  }

  /** How many are worth asking for next: some to begin with, then as many as there is room for by what came so far. */
  next(most: number): number {
    const count = this.outputs.length;
    if (count === 0) return Math.min(most, firstAsked);
    return Math.max(1, Math.min(most, Math.ceil(((room - this.bytes) * count) / this.bytes)));
  }

  add(output: JsonValue): void {
    const bytes = jsonSize(output) + 1;
    this.isFull ||= this.outputs.length > 0 && this.bytes + bytes > room;
    if (this.isFull) return;
    this.outputs.push(output);
    this.bytes += bytes;
  }
}

/** The files of a model as they are now. */
interface ModelFiles {
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
