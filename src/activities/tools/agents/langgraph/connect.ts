import type { Client } from '@langchain/langgraph-sdk/client';
import { assertInstalled } from '../../../packages/installed.js';
import type { AgentPlace } from '../agent-adapter.js';

/**
 * A client of a LangGraph server. It reads no key of the environment, and tries nothing a second time: that is the run's to say.
 * @throws TactusError missing_package; ToolFailed, Fault
 */
export async function connect({ reach }: AgentPlace): Promise<Client> {
  assertInstalled('LangGraph servers need', ['@langchain/langgraph-sdk', '@langchain/core']);
  const { Client } = await import('@langchain/langgraph-sdk/client');
  const { url, fetch } = reach();
  return new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0, fetch } });
}

/** HTTP status of what a request was answered with; null where it has none. */
export function statusOf(error: unknown): number | null {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === 'number' ? status : null;
}

/** Somebody else is at the thread. */
export function isTaken(error: unknown): boolean {
  return [409, 422].includes(statusOf(error) ?? 0);
}
