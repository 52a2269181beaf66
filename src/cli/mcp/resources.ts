import {
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type ReadResourceResult,
  type Variables,
} from '@modelcontextprotocol/server';
import { listRuns, runIdOf } from '../../client/index.js';
import { TactusError, ownCommand, jsonText, type Screen } from '../command.js';
import { respondCommand } from '../../contract/people/request-text.js';
import { plainText } from '../../contract/text/plain-text.js';
import { findPending, pendingOf } from '../people/requests.js';
import type { SessionOnDemand } from './procedure-calls.js';

const mimeType = 'application/json';
const mostRuns = 100;

/** What is open, and how runs stand, for clients that look: nothing can be decided by it. */
export function serveResources(server: McpServer, sessions: SessionOnDemand, screen: Screen): void {
  const listRequests = async (): Promise<{
    resources: { uri: string; name: string; description: string; mimeType: string }[];
  }> => {
    const { pending } = await findPending(await sessions.get(), screen);
    return {
      resources: pending.map(({ id, kind, message, procedure }) => ({
        uri: requestUri(id),
        name: id,
        description: plainText(`${kind} of ${procedure}: ${message}`),
        mimeType,
      })),
    };
  };
  server.registerResource(
    'request',
    new ResourceTemplate(requestTemplate, { list: listRequests }),
    {
      title: 'Open requests to people',
      description: 'What a run asks of people, and how it is decided',
      mimeType,
    },
    async (uri, variables) => {
      const id = idOf(variables, uri);
      const request = (await pendingOf(await sessions.get(), runIdOf(id)).catch(noRun(uri))).find(
        (each) => each.id === id,
      );
      if (request === undefined) throw new ResourceNotFoundError(uri.href, `No request ${id} is open`);
      const respond = `${ownCommand(respondCommand(request))}`;
      return contents(uri, { ...request, decided_by: 'a person', respond });
    },
  );
  server.registerResource(
    'run',
    new ResourceTemplate(runTemplate, {
      list: async () => {
        const { client } = await sessions.get();
        const { runs } = await listRuns(client, { limit: mostRuns });
        return {
          resources: runs.map(({ run_id, procedure, status, started_at }) => ({
            uri: runUri(run_id),
            name: run_id,
            description: `${procedure} · ${status.replaceAll('_', ' ')} · started ${started_at}`,
            mimeType,
          })),
        };
      },
    }),
    { title: 'Runs', description: 'How a run stands: status, output, error, what it waits for', mimeType },
    async (uri, variables) => {
      const session = await sessions.get();
      return contents(uri, await session.view(idOf(variables, uri)).catch(noRun(uri)));
    },
  );
}

function contents(uri: URL, document: unknown): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType, text: jsonText(document, 2) }] };
}

/** @throws ResourceNotFoundError where it is no id at all */
function idOf({ id }: Variables, uri: URL): string {
  try {
    return decodeURIComponent(String(id));
  } catch {
    throw new ResourceNotFoundError(uri.href);
  }
}

function noRun(uri: URL): (error: unknown) => never {
  return (error) => {
    if (error instanceof TactusError && error.code === 'run_not_found')
      throw new ResourceNotFoundError(uri.href, error.message);
    throw error;
  };
}

/** Where a client finds what is open, and how a run stands. Ids have slashes and more: they are one part of the address. */
const requestTemplate = 'tactus://requests/{id}';
const runTemplate = 'tactus://runs/{id}';

export function requestUri(id: string): string {
  return `tactus://requests/${encodeURIComponent(id)}`;
}

export function runUri(id: string): string {
  return `tactus://runs/${encodeURIComponent(id)}`;
}
