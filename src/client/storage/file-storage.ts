import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { sha256Hex } from '../../contract/effects/digest.js';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { KeyedQueue } from '../concurrency.js';
import { RecordStorage, type Stored } from './record-storage.js';
import { checkProcedureId } from './storage-backend.js';

/** Queues by folder: two storages of one process over the same folder don't overtake each other. */
const queuesOfFolders = new Map<string, KeyedQueue>();

/**
 * Keeps each procedure in `<folder>/<procedure_id>.json`, in Tactus's own layout. A file is replaced as a whole or
 * not at all; what is appended to it waits in a journal beside it, until that is folded in. Reading or changing a damaged one is an error and leaves it as it is; only saving a whole record
 * replaces it. Processes may share a folder, but one alone should change a procedure: nothing locks files.
 */
export class FileStorage extends RecordStorage {
  readonly #folder: string;

  constructor(folder: string) {
    const path = resolve(folder);
    const queues = queuesOfFolders.get(path) ?? new KeyedQueue();
    queuesOfFolders.set(path, queues);
    super(queues);
    this.#folder = path;
  }

  /** The journal first: a record that is replaced in between has all that it says. */
  protected override async readStored(procedureId: string): Promise<Stored | null> {
    const path = this.placeOf(procedureId);
    const journal = await readIfExists(journalOf(path));
    const text = await readIfExists(path);
    return text === null ? null : { text, ...linesOf(journal, text) };
  }

  protected override async writeText(procedureId: string, text: string): Promise<void> {
    const path = this.placeOf(procedureId);
    await writeAtomically(path, text);
    await rm(journalOf(path), { force: true });
  }

  protected override async appendLine(procedureId: string, line: string, isFirst: boolean): Promise<void> {
    const path = this.placeOf(procedureId);
    await appendToJournal(journalOf(path), line, isFirst ? await readIfExists(path) : null);
  }

  protected override async markOf(procedureId: string): Promise<string> {
    const path = this.placeOf(procedureId);
    return (await Promise.all([path, journalOf(path)].map(markOfFile))).join();
  }

  protected override async removeText(procedureId: string): Promise<void> {
    const path = this.placeOf(procedureId);
    await rm(path, { force: true });
    await rm(journalOf(path), { force: true });
  }

  protected override async listIds(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const ids = await Promise.all(names.map((name) => this.#idOf(name)));
    return ids.filter((id) => id !== null);
  }

  protected override placeOf(procedureId: string): string {
    return join(this.#folder, toFileName(procedureId));
  }

  /** Null for files of others, and for what a crash left behind. */
  async #idOf(name: string): Promise<string | null> {
    const id = fromFileName(name);
    if (id !== 'in the record') return id === null ? null : id.procedureId;
    const path = join(this.#folder, name);
    const text = await readIfExists(path);
    if (text === null) return null;
    return idInRecord(path, text);
  }
}

async function markOfFile(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino}:${size}:${mtimeNs}`;
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

function idInRecord(path: string, text: string): string {
  try {
    const record = JSON.parse(text) as JsonValue;
    if (isObject(record) && typeof record.procedure_id === 'string') return record.procedure_id;
  } catch {
    // Told below, as one problem with a file that holds something else.
  }
  throw new TactusError('file_failed', `${path} is damaged: it names no procedure_id`, { place: path });
}

/** Where lines are kept by which a record has grown: beside it, by a name that no record has. */
function journalOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.journal`);
}

/**
 * The lines of a journal, where they are of this text: one that was left by a crash, or that somebody else's new record
 * has made worthless, is of another. A line that a crash has cut off was never told to be there.
 */
function linesOf(journal: string | null, text: string): { lines: string[]; isTorn: boolean } {
  const [header, ...lines] = (journal ?? '').split('\n');
  const rest = lines.pop() ?? '';
  return header === headerOf(text) ? { lines, isTorn: rest !== '' } : { lines: [], isTorn: false };
}

/** Writes a line behind the others; the first makes a new journal, for the text that it grows from. */
async function appendToJournal(path: string, line: string, firstOf: string | null): Promise<void> {
  const file = await open(path, firstOf === null ? 'a' : 'w');
  try {
    const { size: before } = await file.stat();
    try {
      await file.writeFile(`${firstOf === null ? '' : `${headerOf(firstOf)}\n`}${toAscii(line)}\n`);
      await file.datasync();
    } catch (error) {
      // A disk that is full takes a part of it: the lines before it stay whole without.
      await file.truncate(before).catch(() => undefined);
      throw error;
    }
  } finally {
    await file.close();
  }
}

function headerOf(text: string): string {
  return JSON.stringify({ grows: createHash('sha256').update(text).digest('hex') });
}

/** So that no character can be cut in two. */
function toAscii(json: string): string {
  return json.replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** File systems take 255 bytes; the names of temporary files are longer than those of records. */
const longestName = 200;

/** Names that Windows gives to devices, whatever their extension. */
const deviceName = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

const suffix = '.json';

/**
 * The file that holds a procedure. Plain ids keep their names, as in Tactus itself; all other bytes become `%XX`,
 * so that no id leaves the folder. An id that is too long is hashed, behind a `~` that no other name begins with.
 */
export function toFileName(procedureId: string): string {
  checkProcedureId(procedureId);
  const bytes = Buffer.from(procedureId, 'utf8');
  const isDevice = deviceName.test(procedureId);
  const name = Array.from(bytes, (byte, index) => {
    const character = String.fromCharCode(byte);
    const isPlain = index === 0 ? /[A-Za-z0-9_-]/ : /[A-Za-z0-9_.-]/;
    return isPlain.test(character) && !(isDevice && index === 0) ? character : escaped(byte);
  }).join('');
  return (name.length <= longestName ? name : `~${sha256Hex(procedureId)}`) + suffix;
}

/** The procedure that a file holds; a hashed name only the record can tell. Null for files of others. */
export function fromFileName(fileName: string): { procedureId: string } | 'in the record' | null {
  if (!fileName.endsWith(suffix)) return null;
  const name = fileName.slice(0, -suffix.length);
  if (/^~[0-9a-f]{64}$/.test(name)) return 'in the record';
  if (!/^(?:[A-Za-z0-9_.-]|%[0-9A-F]{2})+$/.test(name)) return null;
  const procedureId = Buffer.from(unescaped(name), 'latin1').toString('utf8');
  return toFileName(procedureId) === fileName ? { procedureId } : null;
}

function escaped(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function unescaped(name: string): string {
  return name.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * Replaces a file: after a crash at any moment it holds what it did, or what is new. The temporary file begins
 * with a dot and lies in the same folder, since a rename is atomic only within one file system.
 */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.${basename(path)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    await writeAndSync(temporary, content);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/**
 * Writes a file that no other process has written meanwhile: readers see it as a whole.
 * @returns false where it is there already, and stays as it is
 */
export async function writeOnce(path: string, content: string): Promise<boolean> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.${basename(path)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    await writeAndSync(temporary, content);
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(folder);
  return true;
}

async function writeAndSync(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename is on disk when its folder is; Windows can't sync folders, and needs not. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A file's text; null where there is no such file. Bytes that aren't UTF-8 are an error, not replaced. */
async function readIfExists(path: string): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    if (isMissing(error)) return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError('file_failed', `${path} can't be read: ${reason}`, { place: path });
  }
}

/** Whether an error says that a file or folder doesn't exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
