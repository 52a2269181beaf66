import { encodeToPayload } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Client } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { executionsOf } from '../executions-of.js';
import { isPayloadStore } from '../../payloads/has-payload-store.js';
import { readExactLog } from '../read-exact-log.js';
import type { TactusRun } from '../../tactus-run.js';
import { viewRun } from '../view-run.js';
import type { ArchiveFile } from './archive-file.js';
import { historyToJson, payloadFromJson, payloadToJson } from './proto-json.js';
import { TactusError } from '../../../contract/errors.js';

/**
 * A run as a file keeps it: its histories, and what is read of it, so that no server is needed to look at it. Of runs that it
 * started it has what they gave, and not their histories.
 * @param by version of this package
 * @throws TactusError run_not_found; usage where the run's content isn't shown; payload_too_large; file_failed where a payload
 *   store has lost what is in a history
 */
export async function archiveRun(client: Client, run: TactusRun, by: string): Promise<ArchiveFile> {
  const { started } = await readExactLog(run);
  const log = await run.log();
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
