import {
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure, type Workflow } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import { publishedSourceType, publishedType, updateNames } from '../../contract/names.js';
import {
  assertHasOther,
  assertPublishedFits,
  nothingPublished,
  readPublishedChange,
  keptVersion,
  rolledBack,
  withChange,
  type PublishedChange,
} from '../../contract/procedures/publish-change.js';
import {
  procedureNameOf,
  publishedNameOf,
  publishedSourceId,
  publishedView,
  publishedWorkflowId,
  type PublishedProcedure,
} from '../../contract/procedures/published.js';
import { withPrompts, type Prompts } from '../../contract/procedures/prompts.js';
import {
  memoOf,
  sourceHash,
  type FoundVersion,
  type ProcedureSource,
} from '../../contract/procedures/source.js';
import { retryWhileBusy } from '../runs/messages.js';
import { failureOf } from '../runs/run-errors.js';
import type { StartOptions } from '../runs/start-input.js';
import { newRunId } from '../runs/start-run.js';
import type { TactusRun } from '../tactus-run.js';
import { PublishedSources, recordOf, sourceOf } from './published-sources.js';

export interface PublishedOptions {
  /** Who does it; left out: nobody is named. */
  by?: string | undefined;
  /** Sent again under the same id (letters, digits, `-` and `_`), it is one order; left out: each call is one of its own. */
  id?: string;
  /** Everything is checked, and nothing ordered: what comes back is what it would come to. */
  dryRun?: boolean | undefined;
}

export interface PublishOptions extends PublishedOptions {
  /** How many of the runs that are started by the name begin with this version, in per cent; left out: all of them. */
  share?: number;
}

type Start = (source: ProcedureSource, input: JsonValue, options: StartOptions) => Promise<TactusRun>;

/**
 * Versions of procedures that the cluster keeps. Whatever client starts a run with `{"procedure": NAME}` gets one of them, and the
 * worker's folder is asked only for what isn't published. A worker does what is ordered here; reading needs none.
 */
export class PublishedProcedures {
  private readonly sources = new PublishedSources();

  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
    private readonly startRun: Start,
  ) {}

  /**
   * Publishes a source as the newest version of a name. What the newest version has already makes no other one: it gets the share.
   * @throws TactusError usage where the name or the share is none; source_invalid, no_procedure, source_not_found where it could never run;
   *   payload_too_large; change_refused where it can't have this share
   */
  async publish(
    name: string,
    source: ProcedureSource,
    { share = 100, by, id = randomUUID(), dryRun = false }: PublishOptions = {},
  ): Promise<PublishedProcedure> {
    const known = publishedNameOf(name);
    const change = readPublishedChange({
      ...{ kind: 'publish', source: publishedSourceId(id), digest: `sha256:${sourceHash(source)}` },
      ...{ share, by: by ?? null },
    });
    assertPublishedFits(source);
    // It runs Lua: whoever only reads has no need of that.
    const { assertLoads } = await import('../../lua-bridge/index.js');
    assertLoads(source);
    if (share < 100 || dryRun) {
      const record = (await recordOf(this.client, known)) ?? nothingPublished(known);
      if (share < 100) assertHasOther(record);
      if (dryRun) return publishedView(withChange(record, change, new Date().toISOString()));
    }
    await this.startSource(known, source, publishedSourceId(id));
    const { taskQueue } = this;
    const options = {
      ...{ args: [{ name: known }], workflowId: publishedWorkflowId(known), taskQueue },
      workflowIdConflictPolicy: 'USE_EXISTING' as const,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
      staticSummary: `versions of ${known}`,
    };
    return this.order(known, id, (updateId) =>
      this.client.workflow.executeUpdateWithStart<Workflow, PublishedProcedure, [PublishedChange]>(
        updateNames.publish,
        {
          ...{ args: [change], updateId },
          startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(publishedType, options),
        },
      ),
    );
  }

  /**
   * Publishes texts of prompts as the newest version of a name: its code is that of the version that takes what trials leave.
   * @throws TactusError as `publish`; source_not_found where nothing is published under the name; source_invalid where its code has no such
   *   prompt
   */
  async publishPrompts(
    name: string,
    prompts: Prompts,
    options: PublishOptions = {},
  ): Promise<PublishedProcedure> {
    const record = await this.record(name);
    const source = await sourceOf(this.client, record.name, keptVersion(record, record.promoted.at(-1) ?? 0));
    return this.publish(record.name, withPrompts(source, prompts), options);
  }

  /** It ends by itself where nothing comes of it. */
  private async startSource(name: string, source: ProcedureSource, workflowId: string): Promise<void> {
    await this.client.workflow.start(publishedSourceType, {
      ...{ args: [source], workflowId, taskQueue: this.taskQueue },
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      ...{ staticSummary: `a version of ${name}`, memo: memoOf(source) },
    });
  }

  /** @throws TactusError usage where it is no name; source_not_found where nothing is published under it */
  async read(name: string): Promise<PublishedProcedure> {
    return publishedView(await this.record(name));
  }

  /**
   * The source of a version, whatever share it has.
   * @throws TactusError usage; source_not_found where nothing is published under the name, or the source is gone; change_refused where it
   *   has no such version
   */
  async source(name: string, version: number): Promise<ProcedureSource> {
    const record = await this.record(name);
    return sourceOf(this.client, record.name, keptVersion(record, version));
  }

  /**
   * Gives all starts to one version, and ends the trials of others.
   * @throws TactusError usage; source_not_found where nothing is published under the name; change_refused where it has no such version
   */
  promote(
    name: string,
    version: number,
    { by, ...options }: PublishedOptions = {},
  ): Promise<PublishedProcedure> {
    return this.change(name, { kind: 'promote', version, by: by ?? null }, options);
  }

  /**
   * Takes the starts from the versions on trial, or, where there are none, from the one that takes all, and gives them to the one before it.
   * It holds for each run that is started after this.
   * @throws TactusError usage; source_not_found where nothing is published under the name; change_refused where there is none to go back to
   */
  async rollback(name: string, { by, ...options }: PublishedOptions = {}): Promise<PublishedProcedure> {
    const versions = rolledBack(await this.record(name));
    return this.change(name, { kind: 'rollback', versions, by: by ?? null }, options);
  }

  /** Whether runs that are started by the name get a published source. */
  async has(given: string): Promise<boolean> {
    const name = procedureNameOf(given);
    return name !== null && (await recordOf(this.client, name)) !== null;
  }

  /**
   * The version that a run of this id begins with; null where nothing is published under the name.
   * @throws TactusError usage where it is no name; source_not_found where its source is gone
   */
  find(name: string, runId: string): Promise<FoundVersion | null> {
    return this.sources.find(this.client, publishedNameOf(name), runId);
  }

  /**
   * Starts a run of a published procedure. Input and source are looked at here, with nothing started.
   * @throws TactusError source_not_found where nothing is published under the name; what `TactusClient.start` refuses
   */
  async start(
    name: string,
    input: JsonValue = {},
    options: Omit<StartOptions, 'published'> = {},
  ): Promise<TactusRun> {
    const known = publishedNameOf(name);
    const { runId = newRunId(known) } = options;
    const found = await this.find(known, runId);
    if (found === null) throw unpublished(known);
    return this.startRun(found.source, input, { ...options, runId, published: found.as });
  }

  private async record(given: string) {
    const name = publishedNameOf(given);
    const record = await recordOf(this.client, name);
    if (record === null) throw unpublished(name);
    return record;
  }

  private async change(
    given: string,
    change: PublishedChange,
    { id, dryRun = false }: Omit<PublishedOptions, 'by'>,
  ): Promise<PublishedProcedure> {
    const name = publishedNameOf(given);
    const order = readPublishedChange(change);
    if (dryRun) return publishedView(withChange(await this.record(name), order, new Date().toISOString()));
    const handle = this.client.workflow.getHandle(publishedWorkflowId(name));
    return this.order(name, id, (updateId) =>
      handle.executeUpdate<PublishedProcedure, [PublishedChange]>(updateNames.publish, {
        ...{ args: [order], updateId },
      }),
    );
  }

  /** Sent again, it is the same order. */
  private async order(
    name: string,
    id: string = randomUUID(),
    send: (updateId: string) => Promise<PublishedProcedure>,
  ): Promise<PublishedProcedure> {
    try {
      return await retryWhileBusy(() => send(id));
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw unpublished(name);
      const cause = error instanceof WorkflowUpdateFailedError ? error.cause : null;
      throw cause instanceof ApplicationFailure ? failureOf(cause) : error;
    }
  }
}

function unpublished(procedure: string): TactusError {
  const name = JSON.stringify(procedure);
  return new TactusError('source_not_found', `Nothing is published as ${name}`, { procedure });
}
