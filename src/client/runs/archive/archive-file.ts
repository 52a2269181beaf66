import { gunzipSync, gzipSync } from 'node:zlib';
import { TactusError } from '../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import type { RunStatus } from '../../../contract/runs/status.js';

const format = 'tactus-temporal-archive';
const version = 1;

/** A run as a file holds it. What belongs to its content stands there as its server keeps it: encoded where a codec is in use. */
export interface ArchiveFile {
  run_id: string;
  procedure: string;
  /** As it was when it was archived. */
  status: RunStatus;
  /** ISO 8601. */
  archived_at: string;
  /** Of this package that archived it, and the engine that the run went on. */
  versions: { package: string; engine: number };
  /** What it was started with (source, input, settings), its log, and how it ended: payloads of Temporal. */
  content: { started: JsonObject; log: JsonObject; outcome: JsonObject };
  /** Histories of its executions, the first one first. */
  executions: { execution_id: string; history: JsonObject }[];
}

/** Compressed JSON. */
export function packArchive(archive: ArchiveFile): Uint8Array {
  return gzipSync(JSON.stringify({ format, version, ...archive }));
}

/**
 * @param place what people call the file
 * @throws TactusError file_failed saying what is wrong with it
 */
export function unpackArchive(packed: Uint8Array, place: string): ArchiveFile {
  const wrong = (problem: string): TactusError =>
    new TactusError('file_failed', `${place} is no archive that can be read: ${problem}`, { place });
  const read = unpacked(packed, wrong);
  if (!isObject(read) || read['format'] !== format) throw wrong('it is the archive of something else');
  if (typeof read['version'] !== 'number' || read['version'] > version)
    throw wrong(
      `it has version ${JSON.stringify(read['version'])}, and none after ${version} is known: a newer version of tactus-temporal wrote it`,
    );
  const { run_id: runId, content, executions } = read;
  const parts = ['started', 'log', 'outcome'];
  if (
    typeof runId !== 'string' ||
    !isObject(content ?? null) ||
    !parts.every((part) => isObject((content as JsonObject)[part] ?? null)) ||
    !Array.isArray(executions) ||
    executions.length === 0 ||
    !executions.every((each) => isObject(each) && isObject(each['history']))
  )
    throw wrong('parts of it are missing');
  return read as unknown as ArchiveFile;
}

/** Gzip itself tells what is damaged: it ends with a checksum and the size of all. */
function unpacked(packed: Uint8Array, wrong: (problem: string) => TactusError): JsonValue {
  try {
    return JSON.parse(gunzipSync(packed).toString()) as JsonValue;
  } catch (error) {
    throw wrong(`it is damaged, or cut off (${error instanceof Error ? error.message : String(error)})`);
  }
}
