import { randomBytes } from 'node:crypto';
import {
  createRequestStateCodec,
  inputRequired,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { isObject, type JsonObject } from '../../contract/json/json.js';
import { plainText } from '../../contract/text/plain-text.js';
import { TactusError, type CommonOptions, ownVersion, type Screen } from '../command.js';
import { clientCapabilities, inputRequests, shownOf, takeAnswers, type Shown } from './client-decisions.js';
import {
  ProcedureCalls,
  waitTool,
  type OfferedProcedure,
  type SessionOnDemand,
  type Standing,
} from './procedure-calls.js';
import { callAnswer, refusal, serveResources } from './resources.js';
import { RunTasks, taskExtension } from './run-tasks.js';

/** By this a client says that two calls are one: as our own client does. */
const keyInMeta = 'tactus-temporal/idempotency-key';

/** What an unfinished run is answered with, beside what a procedure gives. */
const openSchema: JsonObject = {
  type: 'object',
  description: 'The run has not ended',
  properties: {
    run_id: { type: 'string' },
    status: { type: 'string' },
    pending: { type: 'array', items: { type: 'object' } },
  },
  required: ['run_id', 'status', 'pending'],
};

/**
 * Procedures as tools, and the one that waits. By handlers of our own: those of the package would check the input, which the
 * start does, and refuse answers that are tasks.
 */
function serveTools(
  { server }: McpServer,
  procedures: readonly OfferedProcedure[],
  calls: ProcedureCalls,
  call: ToolCall,
): void {
  const tools = [...procedures.map(toolOf), waitTool];
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: given = {} } = params;
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}`);
    const key = context.mcpReq._meta?.[keyInMeta];
    const procedure = procedures.find((each) => each.name === name);
    const start = (): Promise<string> =>
      procedure === undefined
        ? runIdOf(given)
        : calls.start(procedure, given as JsonObject, typeof key === 'string' && key !== '' ? key : null);
    const answer = await call.handle(context, server.getClientCapabilities(), start);
    // Other revisions have other forms of structured content; questions and tasks have none.
    return 'content' in answer
      ? server.projectCallToolResult(answer as CallToolResult, tool.outputSchema)
      : answer;
  });
}

async function runIdOf({ run_id: runId }: Record<string, unknown>): Promise<string> {
  if (typeof runId === 'string' && runId !== '') return runId;
  throw new TactusError('input_invalid', `${waitTool.name} needs run_id, as a call has named it`);
}

function toolOf({ name, file, description, input, output }: OfferedProcedure): Tool {
  const isFields = output !== null && isObject(output) && output['type'] === 'object';
  return {
    name,
    description: description ?? `The procedure ${file}`,
    inputSchema: { ...input, type: 'object' },
    ...(isFields ? { outputSchema: { type: 'object', anyOf: [output, openSchema] } } : {}),
  };
}

/** People take their time: a form may stand open for a day, and a procedure may ask often. */
const openForMs = 24 * 3_600_000;
const mostRounds = 1_000;

/** Makes the servers of one process: one for each connection, which share what they know of runs. */
export function serverFactory(
  procedures: readonly OfferedProcedure[],
  sessions: SessionOnDemand,
  screen: Screen,
  options: CommonOptions & CallOptions,
): () => McpServer {
  const states = createRequestStateCodec<CallState>({ key: randomBytes(32), ttlSeconds: openForMs / 1_000 });
  const calls = new ProcedureCalls(sessions, options, screen);
  const tasks = new RunTasks(sessions, calls, options.as);
  const call = new ToolCall(sessions, calls, tasks, states, options);
  return () => {
    const mcp = new McpServer(
      { name: 'tactus-temporal', version: ownVersion() },
      {
        capabilities: { tools: {}, extensions: { [taskExtension]: {} } },
        instructions:
          'Each tool starts a durable run of a procedure. What a run asks of people is decided by people: never answer for them.',
        requestState: { verify: (state, context) => states.verify(state, context) },
        inputRequired: { maxRounds: mostRounds, roundTimeoutMs: openForMs },
      },
    );
    serveTools(mcp, procedures, calls, call);
    serveResources(mcp, sessions, screen);
    tasks.serve(mcp);
    return mcp;
  };
}

const everyMs = 10_000;
const longestLine = 200;

/** Tells a client that wants to know what a run does: when there is something new, and from time to time that it goes on. */
function progressOf({ mcpReq }: ServerContext): (standing: Standing) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  let told = { message: '', at: 0 };
  return ({ view }) => {
    const { status, checkpoints, printed } = view;
    // The answer itself says that it has ended, and nothing may come after it.
    if (view.closed_at !== null) return;
    const line = plainText(printed.at(-1) ?? '').slice(0, longestLine);
    const steps = `${checkpoints} ${checkpoints === 1 ? 'step' : 'steps'}`;
    const message = [status.replaceAll('_', ' '), steps, ...(line === '' ? [] : [line])].join(' · ');
    if (message === told.message && Date.now() - told.at < everyMs) return;
    told = { message, at: Date.now() };
    progress += 1;
    // Whoever has gone away isn't told.
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
      .catch(() => undefined);
  };
}

/** What a client gives back with the answers of its user; it can't be made by a client. */
interface CallState {
  runId: string;
  shown: Shown;
  /** Requests that aren't put to this user again. */
  settled: string[];
}

interface CallOptions {
  /** How long a call waits for its run, in ms. */
  waitMs: number;
  /** Who decides here; left out: the account. */
  as?: string;
}

/** A run that ends within this is answered at once, where it could be a task. */
const beforeTaskMs = 2_000;

/** Calls of tools: from the start of a run, or from what the client's user has answered, to its end or the next question. */
class ToolCall {
  constructor(
    private readonly sessions: SessionOnDemand,
    private readonly calls: ProcedureCalls,
    private readonly tasks: RunTasks,
    private readonly states: RequestStateCodec<CallState>,
    private readonly options: CallOptions,
  ) {}

  /**
   * @param start gives the run; it is not asked when the client comes back with answers
   * @param declared what the client can do, where its request doesn't say
   */
  async handle(
    context: ServerContext,
    declared: ClientCapabilities | undefined,
    start: () => Promise<string>,
  ): Promise<CallToolResult | InputRequiredResult> {
    const before = context.mcpReq.requestState<CallState>();
    let runId = before?.runId;
    try {
      runId ??= await start();
      if (before === undefined && this.tasks.isKnownTo(context)) return await this.orTask(runId, context);
      const can = clientCapabilities(context) ?? declared;
      return await this.answered(runId, before, context, hasForms(can));
    } catch (error) {
      return refusal(error, runId);
    }
  }

  private async answered(
    runId: string,
    before: CallState | undefined,
    context: ServerContext,
    mayAsk: boolean,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { settled, notes } =
      before === undefined ? { settled: [], notes: [] } : await this.answers(before, context);
    const isWanted = ({ id }: { id: string }): boolean => mayAsk && !settled.includes(id);
    const standing = await this.calls.follow(runId, {
      isWanted,
      until: Date.now() + this.options.waitMs,
      signal: context.mcpReq.signal,
      onStanding: progressOf(context),
    });
    const asked = standing?.view.closed_at === null ? standing.requests.filter(isWanted) : [];
    if (asked.length === 0) return callAnswer(runId, standing, notes);
    return inputRequired({
      inputRequests: inputRequests(asked, notes),
      requestState: await this.states.mint({ runId, shown: shownOf(asked), settled }),
    });
  }

  private async answers(
    { runId, shown, settled }: CallState,
    context: ServerContext,
  ): Promise<{ settled: string[]; notes: string[] }> {
    const { requests } = await this.calls.stand(runId);
    const answered = await takeAnswers(
      this.sessions,
      requests,
      shown,
      context.mcpReq.inputResponses,
      this.options.as,
    );
    return { settled: [...settled, ...answered.settled], notes: answered.notes };
  }

  /** What takes longer than a moment becomes a task, whose questions are asked through it. */
  private async orTask(runId: string, context: ServerContext): Promise<CallToolResult> {
    const standing = await this.calls.follow(runId, {
      isWanted: () => true,
      until: Date.now() + beforeTaskMs,
      signal: context.mcpReq.signal,
      onStanding: progressOf(context),
    });
    if (standing !== null && standing.view.closed_at !== null) return callAnswer(runId, standing);
    return this.tasks.begun(runId, standing);
  }
}

/** Forms came first: a client that says no more than that it can ask has them. */
function hasForms(can: ClientCapabilities | undefined): boolean {
  const elicitation = can?.elicitation;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}
