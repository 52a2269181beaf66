import { randomBytes } from 'node:crypto';
import { createRequestStateCodec, McpServer } from '@modelcontextprotocol/server';
import type { CommonOptions } from '../context.js';
import { ownVersion } from '../terminal/own-version.js';
import type { Screen } from '../terminal/screen.js';
import type { OfferedProcedure } from './offered-procedure.js';
import { ProcedureCalls } from './procedure-calls.js';
import { serveResources } from './resources.js';
import { RunTasks, taskExtension } from './run-tasks.js';
import type { SessionOnDemand } from './session-on-demand.js';
import { ToolCall, type CallOptions, type CallState } from './tool-call.js';
import { serveTools } from './tools.js';

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
