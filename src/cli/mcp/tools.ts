import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type McpServer,
  type Tool,
} from '@modelcontextprotocol/server';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject } from '../../contract/json/json.js';
import type { OfferedProcedure } from './offered-procedure.js';
import type { ProcedureCalls } from './procedure-calls.js';
import type { ToolCall } from './tool-call.js';
import { waitTool } from './wait-tool.js';

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
export function serveTools(
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
