import type { Tool } from '@modelcontextprotocol/server';
import { setTimeout as wait } from 'node:timers/promises';
import { openRequests, PollInterval, type RunReport, waitUntilClosed } from '../../client/index.js';
import { digestOf } from '../../contract/effects/digest.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import type { JsonObject } from '../../contract/json/json.js';
import { hasCode, TactusError, type CommonOptions, type Context, type Screen } from '../command.js';
import { Session } from '../session.js';
import { configure } from '../configure.js';
import { readProcedure } from '../procedures/read-procedure.js';
import { startRun } from '../runs/start-commands.js';
import { procedureInterface, type ProcedureInterface } from '../../client/procedures/index.js';
import { collectFile } from '../../sources/collect-source.js';

/** A procedure that clients may call as a tool. */
export interface OfferedProcedure extends ProcedureInterface {
  /** Its file, as it was given: read anew at each call. */
  file: string;
}

const nameable = /^[\w.-]{1,128}$/;

/**
 * The procedures of these files, each as a tool that is called as its file is.
 * @throws TactusError usage where a name is no name of a tool, or there twice; source_not_found, source_invalid, config_invalid
 */
export async function offeredProcedures(
  files: readonly string[],
  options: CommonOptions,
  screen: Screen,
): Promise<OfferedProcedure[]> {
  const offered: OfferedProcedure[] = [];
  for (const file of files) {
    const source = await collectFile(file);
    const { settings } = await configure(file, {}, screen);
    const procedure = { ...procedureInterface(source, settings), file };
    const { name } = procedure;
    if (!nameable.test(name))
      throw new TactusError(
        'usage',
        `${file} can't be a tool: tools are named by letters, digits, _, - and ., and it would be ${JSON.stringify(name)}`,
      );
    const other = offered.find((each) => each.name === name)?.file;
    const taken = name === waitToolName ? 'is a tool of the server itself' : other;
    if (taken !== undefined)
      throw new TactusError(
        'usage',
        `${file} can't be the tool ${name}: that ${other === undefined ? taken : `is ${other}`}`,
      );
    await assertStartable(file, options, screen);
    offered.push(procedure);
  }
  return offered;
}

/** What is wrong with a procedure is said when it is offered, and not only when it is called; its input comes with the call. */
async function assertStartable(file: string, options: CommonOptions, screen: Screen): Promise<void> {
  try {
    await readProcedure(file, undefined, { ...options, param: [] }, screen);
  } catch (error) {
    if (!hasCode(error, 'input_invalid')) throw error;
  }
}

export const waitToolName = 'wait_for_run';

/** The tool that waits for a run which a call has left open. */
export const waitTool: Tool = {
  name: waitToolName,
  description:
    'Waits for a run that a call has started and that has not ended, and gives what its procedure gives. Starts nothing: it may be called as often as needed.',
  inputSchema: {
    type: 'object',
    properties: { run_id: { type: 'string', description: 'As a call has named it' } },
    required: ['run_id'],
  },
  annotations: { readOnlyHint: true },
};

/** However little time is left, a worker gets so long to say how the run stands. */
const leastLookMs = 2_000;

/** How a run stands for whoever has called its procedure. */
export interface Standing {
  view: RunReport;
  /** What people are asked, by it and by the runs that it waits for. */
  requests: HumanRequest[];
  /** Nothing but a person, or a time far off, lets it go on. */
  isResting: boolean;
}

export interface Following {
  /** Whether a request is one to put to the client's user now: that ends the wait. */
  isWanted: (request: HumanRequest) => boolean;
  /** In ms since 1970. */
  until: number;
  signal: AbortSignal;
  onStanding: (standing: Standing) => void;
}

/** Starts runs for calls of tools, and waits for them. */
export class ProcedureCalls {
  constructor(
    private readonly sessions: SessionOnDemand,
    private readonly options: CommonOptions,
    private readonly screen: Screen,
  ) {}

  /**
   * Starts the procedure as its file is now; with a key that a call had before, that call's run is meant.
   * @returns the run's id
   * @throws TactusError input_invalid, source_invalid, run_conflict and what else a start is refused for
   */
  async start({ name, file }: OfferedProcedure, input: JsonObject, key: string | null): Promise<string> {
    const given = { ...this.options, param: [], input: JSON.stringify(input) };
    const procedure = await readProcedure(file, undefined, given, this.screen);
    const session = await this.sessions.working();
    const id = key === null ? {} : { id: `${name}-${digestOf([name, key])}` };
    return (await startRun(session, this.screen, procedure, { param: [], ...id }, { isFollowed: true }))
      .runId;
  }

  /** @throws TactusError run_not_found; no_worker of an open run */
  async stand(runId: string): Promise<Standing> {
    const session = await this.sessions.get();
    const view = await session.view(runId);
    const { requests, waitsFor, stuck } = await openRequests(view, (id) => session.view(id));
    return { view, requests, isResting: waitsFor !== null || stuck.size > 0 };
  }

  /**
   * Waits until the run has ended, asks what is wanted, rests, or the time is over. null: no worker has told how it stands.
   * @throws TactusError run_not_found
   */
  async follow(runId: string, { isWanted, until, signal, onStanding }: Following): Promise<Standing | null> {
    const session = await this.sessions.working();
    const over = new AbortController();
    const pace = new PollInterval(waitUntilClosed(session.tactus.attach(runId).handle, over.signal), signal);
    let last: Standing | null = null;
    try {
      for (;;) {
        const standing = await this.soon(runId, Math.max(leastLookMs, until - Date.now()));
        const isNew = standing !== null && standing.view.checkpoints !== last?.view.checkpoints;
        last = standing ?? last;
        if (standing !== null) {
          onStanding(standing);
          const { view, requests, isResting } = standing;
          if (view.closed_at !== null || isResting || requests.some(isWanted)) return standing;
        }
        if (Date.now() >= until || signal.aborted) return last;
        await pace.next(isNew);
      }
    } finally {
      over.abort();
    }
  }

  /** How the run stands; null where no worker tells within that time. */
  private async soon(runId: string, withinMs: number): Promise<Standing | null> {
    const told = new AbortController();
    const late = wait(withinMs, null, { signal: told.signal }).catch(() => null);
    try {
      return await Promise.race([this.stand(runId).catch(unanswered), late]);
    } finally {
      told.abort();
    }
  }

  /** @throws TactusError run_not_found */
  async cancel(runId: string): Promise<void> {
    const session = await this.sessions.working();
    await session.tactus.attach(runId).cancel();
  }
}

/** A worker may come back, and the run goes on whether anybody hears of it or not. */
function unanswered(error: unknown): null {
  if (hasCode(error, 'no_worker')) return null;
  throw error;
}

/** A session that is opened when the first call needs it: listing tools needs no server, and one that is down may come up. */
export class SessionOnDemand {
  private opened: Promise<Session> | null = null;

  constructor(private readonly context: Context) {}

  /** @throws TactusError server_unreachable, usage */
  async get(): Promise<Session> {
    const opening = (this.opened ??= Session.open(this.context));
    try {
      return await opening;
    } catch (error) {
      if (this.opened === opening) this.opened = null;
      throw error;
    }
  }

  /** With a worker in this process, where the embedded server is used: for runs that somebody waits for here. */
  async working(): Promise<Session> {
    const session = await this.get();
    await session.worker.provide({ performs: true });
    return session;
  }

  async close(): Promise<void> {
    const session = await this.opened?.catch(() => null);
    await session?.close();
  }
}
