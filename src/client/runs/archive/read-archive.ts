import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { defaultDataConverter, type LoadedDataConverter } from '@temporalio/common';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { TactusError, type RunError } from '../../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../../contract/json/json.js';
import type { RunStarted } from '../../../contract/runs/run-started.js';
import type { LogPage } from '../../../contract/runs/run-view.js';
import { unpackArchive, type ArchiveFile } from './archive-file.js';
import { historyFromJson, payloadFromJson } from './proto-json.js';

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
    histories: executions.map(({ execution_id, history }) => ({
      execution: execution_id,
      history: historyFromJson(history),
    })),
  };
}
