import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { hasCode } from '../command.js';
import { callAnswer } from './resources.js';
import { clientCapabilities, inputRequests, shownOf, takeAnswers, type Shown } from './client-decisions.js';
import type { ProcedureCalls, SessionOnDemand, Standing } from './procedure-calls.js';

/** Calls that take long, as tasks of revision 2026-07-28. The package has nothing for them. */
export const taskExtension = 'io.modelcontextprotocol/tasks';
const pollIntervalMs = 1_000;
/** What a client is told that asks for a task without having said that it knows of them. */
const missingCapability = -32021;
const taskRequest = { params: z.object({ taskId: z.string() }) };

/** What has been shown to a client's user, and what isn't shown again, of one run. */
interface TaskUser {
  shown: Shown;
  settled: string[];
  notes: string[];
}

/** What a client gets to see of a task: JSON, by types of the SDK. */
type TaskState = Record<string, unknown>;

/** A run as a task: its id is the run's, and it is there as long as the run is. */
export class RunTasks {
  private readonly users = new Map<string, TaskUser>();

  constructor(
    private readonly sessions: SessionOnDemand,
    private readonly calls: ProcedureCalls,
    private readonly as: string | undefined,
  ) {}

  isKnownTo(context: ServerContext): boolean {
    return clientCapabilities(context)?.extensions?.[taskExtension] !== undefined;
  }

  /** The answer to a call that has become a task. */
  begun(runId: string, standing: Standing | null): CallToolResult {
    // Empty content, for the package lets no other answer to a call pass.
    return { content: [], resultType: 'task', ...this.taskOf(runId, standing) };
  }

  /** Answers what clients ask about tasks. */
  serve({ server }: McpServer): void {
    server.setRequestHandler('tasks/get', taskRequest, ({ taskId }, context) =>
      this.ofTask(context, async () => this.taskOf(taskId, await this.calls.stand(taskId))),
    );
    server.setRequestHandler('tasks/update', taskRequest, ({ taskId }, context) =>
      this.ofTask(context, async () => {
        await this.update(taskId, context.mcpReq.inputResponses);
        return {};
      }),
    );
    server.setRequestHandler('tasks/cancel', taskRequest, ({ taskId }, context) =>
      this.ofTask(context, async () => {
        await this.calls.cancel(taskId);
        return {};
      }),
    );
  }

  private async update(taskId: string, responses: Record<string, unknown> | undefined): Promise<void> {
    const user = this.userOf(taskId);
    const { requests } = await this.calls.stand(taskId);
    const { settled, notes } = await takeAnswers(this.sessions, requests, user.shown, responses, this.as);
    user.settled.push(...settled);
    user.notes = notes;
  }

  /** @throws ProtocolError where no run has the id, or the client doesn't know of tasks */
  private async ofTask(context: ServerContext, work: () => Promise<TaskState>): Promise<TaskState> {
    if (!this.isKnownTo(context))
      throw new ProtocolError(missingCapability, `Missing required client capability: ${taskExtension}`);
    try {
      return await work();
    } catch (error) {
      if (hasCode(error, 'run_not_found'))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
      throw error;
    }
  }

  private taskOf(runId: string, standing: Standing | null): TaskState {
    const now = new Date().toISOString();
    const createdAt = standing?.view.started_at ?? now;
    const lastUpdatedAt = standing?.view.closed_at ?? now;
    return {
      taskId: runId,
      createdAt,
      lastUpdatedAt,
      ttlMs: null,
      pollIntervalMs,
      ...this.stateOf(runId, standing),
    };
  }

  private stateOf(runId: string, standing: Standing | null): TaskState {
    if (standing === null) return { status: 'working' };
    const { view, requests } = standing;
    const user = this.userOf(runId);
    if (view.closed_at !== null) {
      this.users.delete(runId);
      const { status, error } = view;
      if (status === 'cancelled' || status === 'terminated') return { status: 'cancelled' };
      const message = error === null ? status : `${error.code}: ${error.message}`;
      if (status !== 'completed')
        return {
          status: 'failed',
          statusMessage: message,
          error: { code: ProtocolErrorCode.InternalError, message },
        };
      return { status: 'completed', result: callAnswer(runId, standing) };
    }
    const asked = requests.filter(({ id }) => !user.settled.includes(id));
    if (asked.length === 0) {
      const elsewhere = requests.map(({ id }) => `${id} is open, and decided elsewhere`);
      const statusMessage = [...user.notes, ...elsewhere].join(' ') || view.status.replaceAll('_', ' ');
      return { status: 'working', statusMessage };
    }
    user.shown = { ...user.shown, ...shownOf(asked) };
    return {
      status: 'input_required',
      inputRequests: inputRequests(asked, user.notes),
    };
  }

  private userOf(runId: string): TaskUser {
    let user = this.users.get(runId);
    if (user === undefined) this.users.set(runId, (user = { shown: {}, settled: [], notes: [] }));
    return user;
  }
}
