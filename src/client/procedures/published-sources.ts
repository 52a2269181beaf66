import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';
import { publishedType } from '../../contract/names.js';
import {
  publishedWorkflowId,
  readPublishedRecord,
  versionFor,
  type KeptVersion,
  type PublishedRecord,
} from '../../contract/procedures/published.js';
import {
  isSource,
  sourceHash,
  type FoundVersion,
  type ProcedureSource,
} from '../../contract/procedures/source.js';
import { firstArgument } from '../runs/start-input.js';

/** What is published under a name, without asking a worker; null: nothing. */
export async function recordOf({ workflow }: Client, name: string): Promise<PublishedRecord | null> {
  try {
    const { type, status, memo } = await workflow.getHandle(publishedWorkflowId(name)).describe();
    const isOpen = type === publishedType && status.name === 'RUNNING';
    return isOpen ? readPublishedRecord(memo) : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

const mostKept = 20;

/**
 * Sources of published versions, for whoever starts runs of them. Which version it is is asked of the server each time, so that a rollback
 * holds at once; a source never changes, so that one that was read is kept.
 */
export class PublishedSources {
  /** By their digests, the one that was used last at the end. */
  private readonly kept = new Map<string, ProcedureSource>();

  /**
   * The version of a name that a run begins with; null: nothing is published under it.
   * @throws TactusError source_not_found where its source is gone; the server's error where it doesn't answer
   */
  async find(client: Client, name: string, runId: string): Promise<FoundVersion | null> {
    const record = await recordOf(client, name);
    const found = record === null ? null : versionFor(record, runId);
    if (found === null) return null;
    const { kept, as } = found;
    const source = this.kept.get(kept.digest) ?? (await sourceOf(client, name, kept));
    this.kept.delete(kept.digest);
    this.kept.set(kept.digest, source);
    for (const digest of [...this.kept.keys()].slice(0, -mostKept)) this.kept.delete(digest);
    return { source, as };
  }
}

/** Whoever can start workflows could put another one in its place: only what has its digest is the version. */
export async function sourceOf(
  client: Client,
  name: string,
  { version, digest, source: workflowId }: KeptVersion,
): Promise<ProcedureSource> {
  const source = await firstArgument(client, workflowId);
  if (isSource(source) && `sha256:${sourceHash(source)}` === digest) return source;
  throw new TactusError(
    'source_not_found',
    `The source of version ${version} of ${name} is gone: publish it again, or roll it back`,
    { procedure: name },
  );
}
