import { randomBytes } from 'node:crypto';
import {
  createRequestStateCodec,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/server';
import { isObject, type JsonObject } from '../../contract/json/json.js';
import { TactusError, type CommonOptions, ownVersion, type Screen } from '../command.js';
import { ProcedureCalls, waitTool, type OfferedProcedure, type SessionOnDemand } from './procedure-calls.js';
import { serveResources } from './resources.js';
import { RunTasks, taskExtension } from './run-tasks.js';
import { ToolCall, type CallOptions, type CallState } from './tool-call.js';

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
