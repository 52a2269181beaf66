import h5wasm, { type Dataset, type Entity, type File, type Group, type Metadata } from 'h5wasm';
import { TactusError } from '../../../../contract/errors.js';
import type { JsonValue } from '../../../../contract/json/json.js';
import { plainNumber, type Done, type ThreadRequest } from './messages.js';

/** Of the types that are copied value by value: integers, floats and texts, as a little-endian machine writes them. */
const copied = /^(<[bhiqBHIQfd]|S)$/;

/**
 * Puts all that is in a file into a new one, but for one dataset, or one group and what is in it: the library can take nothing out
 * of a file. What can't be copied as it is fails here, and nothing is lost.
 * @throws TactusError file_failed naming it
 */
function carryOver(from: File, to: File, { path, except }: { path: string; except: string }): void {
  const refuse = (what: string): never => {
    throw new TactusError(
      'file_failed',
      `${path} can't be written: ${except} is there with another shape or type, and beside it ${what}, which would be lost; write to another name or file`,
    );
  };
  if (Object.keys(from.attrs).length > 0) refuse('the file has attributes');
  for (const name of from.paths()) {
    if (name === except || name.startsWith(`${except}/`)) continue;
    const entity = from.get(name);
    if (!(entity instanceof h5wasm.Group) && !(entity instanceof h5wasm.Dataset)) refuse(`${name} is a link`);
    const there = entity as Dataset;
    if (Object.keys(there.attrs).length > 0) refuse(`${name} has attributes`);
    if (entity instanceof h5wasm.Group) to.create_group(name);
    else copy(there, to, name, refuse);
  }
}

function copy(dataset: Dataset, to: File, name: string, refuse: (what: string) => never): void {
  const { dtype, shape, metadata } = dataset;
  const isPlain = typeof dtype === 'string' && copied.test(dtype) && (dtype !== 'S' || metadata.vlen);
  if (!isPlain || shape === null) return refuse(`${name} is of a type of its own`);
  const { value } = dataset;
  const data = shape.length === 0 ? [value] : value;
  to.create_dataset({ name, data: data as string[], shape, dtype });
}

type Library = Awaited<typeof h5wasm.ready>;

/** What a dataset may take in memory: a few bytes in a file may say that there are a million million zeros. */
const mostBytes = 64 * 1024 * 1024;

/**
 * Reads or lists datasets, or puts one into a file. The library sees a file system of its own, in memory, that has this file
 * alone: datasets that lie in other files, which HDF5 allows, lead nowhere.
 */
export async function hdf5(request: ThreadRequest): Promise<Done> {
  const module = await h5wasm.ready;
  // What goes wrong is thrown, with the library's reason.
  module.activate_throwing_error_handler();
  if (request.operation === 'write') return { bytes: write(module, request) };
  const file = open(module, request.bytes ?? new Uint8Array(), request.path);
  return { value: request.operation === 'list' ? datasetsIn(file) : read(file, request) };
}

function open({ FS }: Library, bytes: Uint8Array, path: string, mode: 'r' | 'a' = 'r'): File {
  FS.writeFile('/file.h5', bytes);
  try {
    const file = new h5wasm.File('/file.h5', mode);
    if (file.file_id >= 0n) return file;
  } catch (error) {
    if (!isTruncated(error)) throw notHdf5(path);
    throw new TactusError('file_failed', `${path} can't be read as hdf5: the file has been cut off`);
  }
  throw notHdf5(path);
}

function isTruncated(error: unknown): boolean {
  return error instanceof Error && /truncated/i.test(error.message);
}

function notHdf5(path: string): TactusError {
  return new TactusError('file_failed', `${path} can't be read as hdf5: it is no file of HDF5, or broken`);
}

function datasetsIn(file: File): string[] {
  return file.paths().filter((name) => isDataset(file.get(name)));
}

function isDataset(entity: Entity | null): entity is Dataset {
  return entity instanceof h5wasm.Dataset;
}

function read(file: File, { path, part = '' }: ThreadRequest): JsonValue {
  const entity = find(file, part);
  if (entity === null)
    throw new TactusError(
      'file_failed',
      `${path} has no dataset ${JSON.stringify(part)}; there are: ${datasetsIn(file).slice(0, 50).join(', ')}`,
    );
  if (!isDataset(entity)) throw new TactusError('file_failed', `${part} in ${path} is no dataset`);
  const { metadata } = entity;
  const bytes = metadata.total_size * metadata.size;
  const chunk = (metadata.chunks ?? []).reduce((product, each) => product * each, metadata.size);
  if (bytes > mostBytes || chunk > mostBytes)
    throw new TactusError(
      'payload_too_large',
      `${part} in ${path} takes ${Math.max(bytes, chunk)} bytes; at most ${mostBytes} can be read`,
    );
  return plainDataset(entity, `${part} in ${path}`);
}

/** What a path leads to, part by part: the library's own way fails in other ways for each that is missing. */
function find(file: File, path: string): Entity | null {
  let entity: Entity | null = file;
  for (const name of partsOf(path)) {
    if (!(entity instanceof h5wasm.Group) || !entity.keys().includes(name)) return null;
    entity = entity.get(name);
  }
  return entity;
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function write(module: Library, { bytes, data, path, part = '' }: ThreadRequest): Uint8Array {
  const parts = partsOf(part);
  if (parts.length === 0)
    throw new TactusError('file_failed', `${JSON.stringify(part)} is no name of a dataset`);
  const array = arrayOf(data ?? null, `${part} in ${path}`);
  const { FS } = module;
  let file = bytes === null ? new h5wasm.File('/file.h5', 'w') : open(module, bytes, path, 'a');
  let place = '/file.h5';
  const there = find(file, part);
  if (there !== null && !(isDataset(there) && overwrite(there, array))) {
    place = '/new.h5';
    const next = new h5wasm.File(place, 'w');
    carryOver(file, next, { path, except: parts.join('/') });
    file.close();
    file = next;
  }
  if (there === null || place !== '/file.h5') create(file, parts, array, path);
  file.close();
  return FS.readFile(place);
}

/** Whether it could be done where it is: in place of values of the same type and shape. */
function overwrite(dataset: Dataset, { dtype, shape, data }: Written): boolean {
  if (dtype === 'S' || dataset.dtype !== dtype || String(dataset.shape) !== String(shape)) return false;
  if (data.length > 0)
    dataset.write_slice(
      shape.map((length) => [0, length]),
      data,
    );
  return true;
}

function create(file: File, parts: readonly string[], { dtype, shape, data }: Written, path: string): void {
  let group: Group = file;
  for (const name of parts.slice(0, -1)) {
    const there: Entity | null = group.keys().includes(name) ? group.get(name) : group.create_group(name);
    if (!(there instanceof h5wasm.Group))
      throw new TactusError('file_failed', `${path} can't be written: ${name} in it is no group`);
    group = there;
  }
  group.create_dataset({ name: parts.at(-1) ?? '', data: data as string[], shape, dtype });
}

/** Values of one type, in the order of a dataset of this shape. */
interface Written {
  /** Integers and floats of 64 bits, or texts of any length. */
  dtype: '<q' | '<d' | 'S';
  shape: number[];
  data: BigInt64Array | Float64Array | string[];
}

/**
 * A value, a list, or lists of lists of the same length.
 * @throws TactusError file_failed for what is no array
 */
function arrayOf(data: JsonValue, what: string): Written {
  const refuse = (problem: string): never => {
    throw new TactusError('file_failed', `${what} can't be written: ${problem}`);
  };
  const shape: number[] = [];
  for (let each = data; Array.isArray(each); each = each[0] ?? null) {
    shape.push(each.length);
    if (each.length === 0) break;
  }
  const flat: (number | string)[] = [];
  const collect = (value: JsonValue, depth: number): void => {
    if (
      Array.isArray(value) !== depth < shape.length ||
      (Array.isArray(value) && value.length !== shape[depth])
    )
      refuse('its lists are not of the same length');
    if (Array.isArray(value)) for (const each of value) collect(each, depth + 1);
    else if (typeof value === 'number' || typeof value === 'string') flat.push(value);
    // A dataset of them would be read as numbers here, and 0 is true in Lua.
    else if (typeof value === 'boolean') refuse('booleans have no type in HDF5; use 0 and 1');
    else
      refuse(
        value === null ? 'a value is missing' : 'it holds a table with names; only lists can be written',
      );
  };
  collect(data, 0);
  const texts = flat.filter((each) => typeof each === 'string');
  if (texts.length === 0) {
    const numbers = flat as number[];
    return numbers.length > 0 && numbers.every(Number.isSafeInteger)
      ? { dtype: '<q', shape, data: BigInt64Array.from(numbers, BigInt) }
      : { dtype: '<d', shape, data: Float64Array.from(numbers) };
  }
  if (texts.length < flat.length) refuse('it holds numbers and texts');
  // They are kept with a zero behind them.
  if (texts.some((each) => each.includes('\0'))) refuse('a text holds a zero byte');
  return { dtype: 'S', shape, data: texts };
}

/** The library's numbers of what has values: integers, floats, texts, rows of fields, enumerations, lists, arrays. */
const known = [0, 1, 3, 6, 8, 9, 10];

/**
 * What a dataset holds, in lists of lists; a single value where it has no dimensions.
 * @throws TactusError file_failed for a type that has no form here
 */
function plainDataset(dataset: Dataset, what: string): JsonValue {
  const { metadata, shape } = dataset;
  const refuse = (): never => {
    throw new TactusError('file_failed', `${what} is of a type that can't be read`);
  };
  if (!known.includes(metadata.type)) refuse();
  if (isHalf(metadata))
    throw new TactusError(
      'file_failed',
      `${what} holds floats of 16 bits, which can't be read: save them as float32`,
    );
  if (shape === null) return null;
  if (shape.includes(0)) return nest([], shape);
  const { value } = dataset;
  const isFlag = isBoolean(metadata);
  const plain = (each: unknown): JsonValue => {
    if (typeof each === 'number' || typeof each === 'bigint')
      return isFlag ? Number(each) === 1 : plainNumber(each);
    if (typeof each === 'string' || typeof each === 'boolean') return each;
    if (Array.isArray(each)) return each.map(plain);
    if (ArrayBuffer.isView(each)) return [...(each as Uint8Array)].map(plain);
    return each === null || each === undefined ? null : refuse();
  };
  const values = plain(value);
  return shape.length === 0 ? values : nest(Array.isArray(values) ? values : [values], shape);
}

/** Rows of rows, of values in one row. */
function nest(values: readonly JsonValue[], [length = 0, ...inner]: readonly number[]): JsonValue {
  if (inner.length === 0) return [...values];
  const size = inner.reduce((product, each) => product * each, 1);
  return Array.from({ length }, (_, i) => nest(values.slice(i * size, (i + 1) * size), inner));
}

function isHalf({ type, size }: Metadata): boolean {
  return type === 1 && size === 2;
}

/** As h5py writes them. */
function isBoolean({ enum_type: type }: Metadata): boolean {
  const { FALSE, TRUE, ...others }: Record<string, number> = type?.members ?? {};
  return FALSE === 0 && TRUE === 1 && Object.keys(others).length === 0;
}
