import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';

const inEnvelope = 'io.modelcontextprotocol/clientCapabilities';

/** What the client says with its request that it can do; undefined before revision 2026-07-28. */
export function clientCapabilities({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  return (mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined)?.[inEnvelope];
}
