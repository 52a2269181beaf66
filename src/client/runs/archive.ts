import {
  decodeFromPayloadsAtIndex,
  encodeToPayload,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Client } from '@temporalio/client';
import {
  defaultDataConverter,
  type LoadedDataConverter,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import proto from '@temporalio/proto';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { gunzipSync, gzipSync } from 'node:zlib';
import { isObject, jsonAs, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { executionsOf } from './start-input.js';
import { isPayloadStore } from '../payloads/has-payload-store.js';
import { readExactLog } from './exact-log.js';
import type { TactusRun } from '../tactus-run.js';
import { viewRun } from './view-run.js';
import { TactusError, type RunError } from '../../contract/errors.js';
import type { RunStarted } from '../../contract/runs/start-input.js';
import type { LogPage, RunStatus } from '../../contract/runs/run-view.js';

/**
 * A run as a file keeps it: its histories, and what is read of it, so that no server is needed to look at it. Of runs that it
 * started it has what they gave, and not their histories.
 * @param by version of this package
 * @throws TactusError run_not_found; usage where the run's content isn't shown; payload_too_large; file_failed where a payload
 *   store has lost what is in a history
 */
export async function archiveRun(client: Client, run: TactusRun, by: string): Promise<ArchiveFile> {
  const { started } = await readExactLog(run);
  const log = await run.log({ all: true });
  const { procedure, status, output, error } = await viewRun(run);
  const keep = (value: unknown): Promise<JsonObject> => toPayload(client, value);
  return {
    run_id: run.runId,
    procedure,
    status,
    archived_at: new Date().toISOString(),
    versions: { package: by, engine: started.engine },
    content: {
      started: await keep(started),
      // The log says how it stands by itself: of one that was terminated it doesn't know.
      log: await keep({ ...log, status }),
      outcome: await keep({ output, error }),
    },
    executions: await historiesOf(client, run.runId),
  };
}

/** By the client's converter: encrypted where the histories are. No store is needed to read it, however large it is. */
async function toPayload({ options }: Client, value: unknown): Promise<JsonObject> {
  const { payloadCodecs, ...converter } = options.loadedDataConverter;
  const codecs = payloadCodecs.filter((codec) => !isPayloadStore(codec));
  return payloadToJson(await encodeToPayload({ ...converter, payloadCodecs: codecs }, value));
}

/** Those that the server still has: an older one may be past its retention. */
async function historiesOf(client: Client, runId: string): Promise<ArchiveFile['executions']> {
  const { runId: last } = await client.workflow.getHandle(runId).describe();
  const store = client.options.loadedDataConverter.payloadCodecs.find(isPayloadStore);
  const executions: ArchiveFile['executions'] = [];
  for (const execution of await executionsOf(client, runId, last)) {
    const kept = historyToJson(await client.workflow.getHandle(runId, execution).fetchHistory());
    executions.push({
      execution_id: execution,
      history: store === undefined ? kept : await withStoredPayloads(kept, store),
    });
  }
  return executions;
}

/**
 * A history as JSON, with what a payload store keeps of it in place of the claims: whoever reads an archive may have no store.
 * @param store the codec that keeps large payloads elsewhere
 * @throws TactusError file_failed where the store has lost one
 */
async function withStoredPayloads(history: JsonObject, store: PayloadCodec): Promise<JsonObject> {
  if (isPayload(history)) return fromStore(history, store);
  const stored = async (value: JsonValue): Promise<JsonValue> => {
    if (Array.isArray(value)) return Promise.all(value.map(stored));
    return isObject(value) ? withStoredPayloads(value, store) : value;
  };
  const fields = Object.entries(history).map(async ([name, value]) => [name, await stored(value)] as const);
  return Object.fromEntries(await Promise.all(fields));
}

function isPayload({ metadata }: JsonObject): boolean {
  return isObject(metadata ?? null) && typeof (metadata as JsonObject)['encoding'] === 'string';
}

async function fromStore(found: JsonObject, store: PayloadCodec): Promise<JsonObject> {
  const payload = payloadFromJson(found);
  const [kept] = await store.decode([payload]).catch((error: unknown): Payload[] => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError('file_failed', `A part of the history can't be had: ${reason}`);
  });
  // What is no claim comes back as it is.
  return kept === undefined || kept === payload ? found : payloadToJson(kept);
}

/** A run as it was archived. */
export interface Archive extends Pick<
  ArchiveFile,
  'run_id' | 'procedure' | 'status' | 'archived_at' | 'versions'
> {
  started: RunStarted;
  /** The whole execution log. */
  log: LogPage;
  output: JsonValue;
  error: RunError | null;
  /** Of its executions, the first one first. */
  histories: { execution: string; history: History }[];
}

/**
 * Reads what `archiveRun` made.
 * @param place what people call the file
 * @param converter that of the client that archived it, where it had one of its own; left out: none
 * @throws TactusError file_failed saying what is wrong with it
 */
export async function readArchive(
  packed: Uint8Array,
  place: string,
  converter: LoadedDataConverter = defaultDataConverter,
): Promise<Archive> {
  const { content, executions, ...head } = unpackArchive(packed, place);
  const { run_id, procedure, status, archived_at, versions } = head;
  const open = async <T>(part: JsonObject): Promise<T> => {
    try {
      return await decodeFromPayloadsAtIndex<T>(converter, 0, [payloadFromJson(part)]);
    } catch (error) {
      if (error instanceof TactusError) throw error;
      throw new TactusError(
        'file_failed',
        `${place} can't be opened: its content is encoded, or damaged (${error instanceof Error ? error.message : String(error)})`,
        { place },
      );
    }
  };
  const { output, error } = await open<Pick<Archive, 'output' | 'error'>>(content.outcome);
  return {
    ...{ run_id, procedure, status, archived_at, versions, output, error },
    started: await open<RunStarted>(content.started),
    log: await open<LogPage>(content.log),
    histories: toHistories({ executions }),
  };
}

/**
 * The histories alone, which need no key: what encodes payloads is for whoever replays them.
 * @throws TactusError file_failed saying what is wrong with the file
 */
export function historiesOfArchive(packed: Uint8Array, place: string): Pick<Archive, 'run_id' | 'histories'> {
  const archive = unpackArchive(packed, place);
  return { run_id: archive.run_id, histories: toHistories(archive) };
}

function toHistories({ executions }: Pick<ArchiveFile, 'executions'>): Archive['histories'] {
  return executions.map(({ execution_id, history }) => ({
    execution: execution_id,
    history: historyFromJson(history),
  }));
}

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
    new TactusError('file_failed', `${place} can't be read as an archive: ${problem}`, { place });
  const read = unpacked(packed, wrong);
  if (!isObject(read) || read['format'] !== format) throw wrong('it is an archive, but not one of a run');
  if (typeof read['version'] !== 'number' || read['version'] > version)
    throw wrong(
      `it has version ${JSON.stringify(read['version'])}, and versions up to ${version} are known here: a newer version of tactus-temporal wrote it`,
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
  return jsonAs<ArchiveFile>(read);
}

/** Gzip itself tells what is damaged: it ends with a checksum and the size of all. */
function unpacked(packed: Uint8Array, wrong: (problem: string) => TactusError): JsonValue {
  try {
    return JSON.parse(gunzipSync(packed).toString()) as JsonValue;
  } catch (error) {
    throw wrong(`it is damaged, or cut off (${error instanceof Error ? error.message : String(error)})`);
  }
}

/**
 * Messages of Temporal as JSON, by their own classes: what the SDK has for that fails (`type must be a Type`) where npm has installed several
 * copies of protobufjs, as it does for most who install this package.
 */
const { History: HistoryMessage } = proto.temporal.api.history.v1;
const { Payload: PayloadMessage } = proto.temporal.api.common.v1;
const asTexts = { longs: String, enums: String, bytes: String } as const;

function historyToJson(history: History): JsonObject {
  return HistoryMessage.toObject(HistoryMessage.fromObject(history), asTexts);
}

/** @throws Error where it is no history */
function historyFromJson(json: JsonObject): History {
  return HistoryMessage.fromObject(json);
}

export function payloadToJson(payload: Payload): JsonObject {
  return PayloadMessage.toObject(PayloadMessage.fromObject(payload), asTexts);
}

/** @throws Error where it is no payload */
export function payloadFromJson(json: JsonObject): Payload {
  return PayloadMessage.fromObject(json);
}
