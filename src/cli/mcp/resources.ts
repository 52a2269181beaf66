import {
  ResourceNotFoundError,
  ResourceTemplate,
  type CallToolResult,
  type McpServer,
  type ReadResourceResult,
  type Variables,
} from '@modelcontextprotocol/server';
import { listRuns, runIdOf } from '../../client/index.js';
import {
  hasCode,
  jsonText,
  lastArgument,
  ownCommand,
  placeText,
  TactusError,
  type Screen,
} from '../command.js';
import { respondCommand } from '../../contract/people/request-text.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { plainText } from '../../contract/text/plain-text.js';
import { findPending, pendingOf, requestText } from '../people/requests.js';
import { waitToolName, type SessionOnDemand, type Standing } from './procedure-calls.js';

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
    if (hasCode(error, 'run_not_found')) throw new ResourceNotFoundError(uri.href, error.message);
    throw error;
  };
}

/** Where a client finds what is open, and how a run stands. Ids have slashes and more: they are one part of the address. */
const requestTemplate = 'tactus://requests/{id}';
const runTemplate = 'tactus://runs/{id}';

function requestUri(id: string): string {
  return `tactus://requests/${encodeURIComponent(id)}`;
}

function runUri(id: string): string {
  return `tactus://runs/${encodeURIComponent(id)}`;
}

/** Where an answer says of which run it is, and how that stands. */
const runInMeta = 'tactus-temporal/run';

type Block = CallToolResult['content'][number];

/** What a call is answered with: what the procedure gave, why it failed, or that its run has not ended. */
export function callAnswer(
  runId: string,
  standing: Standing | null,
  notes: readonly string[] = [],
): CallToolResult {
  const said = notes.map(textBlock);
  const status = standing?.view.status ?? 'running';
  const more = { _meta: { [runInMeta]: { run_id: runId, status } } };
  if (standing === null || standing.view.closed_at === null)
    return { ...openAnswer(runId, standing, said), ...more };
  const { output, error, incomplete } = standing.view;
  if (status !== 'completed') {
    const reason = error === null ? status : `${error.code}: ${error.message}${placeText(error)}`;
    return { content: [textBlock(`The run ${runId} ended: ${reason}`), ...said], isError: true, ...more };
  }
  const missing = incomplete === undefined ? [] : [textBlock(incomplete)];
  const text = typeof output === 'string' ? plainText(output) : jsonText(output);
  return {
    content: [textBlock(text), ...said, ...missing],
    ...(output === null ? {} : { structuredContent: output }),
    ...more,
  };
}

/** What was asked for can't be done; `runId`: of a run that is there all the same. */
export function refusal(error: unknown, runId?: string): CallToolResult {
  const { code, message, place } =
    error instanceof TactusError
      ? { code: error.code, message: error.message, place: placeText(error.toRunError()) }
      : { code: 'internal', message: error instanceof Error ? error.message : String(error), place: '' };
  const isThere = runId !== undefined && code !== 'run_not_found';
  return {
    content: [
      textBlock(`${code}: ${message}${place}`),
      ...(isThere ? [textBlock(`The run ${runId} is left alone. ${howToGoOn(runId)}`)] : []),
    ],
    isError: true,
  };
}

function howToGoOn(runId: string): string {
  return `To wait for it: the tool ${waitToolName} with run_id ${JSON.stringify(runId)}. Calling the procedure again would start another run.`;
}

function openAnswer(runId: string, standing: Standing | null, said: Block[]): CallToolResult {
  const requests = standing?.requests ?? [];
  return {
    content: [
      textBlock(`The run ${runId} has not ended: ${whyOpen(standing)}. ${howToGoOn(runId)}`),
      ...requests.map((request) => textBlock(askedText(request))),
      ...said,
      link(runUri(runId), runId, 'How the run stands'),
      ...requests.map(({ id, message }) => link(requestUri(id), id, plainText(message))),
    ],
    structuredContent: {
      run_id: runId,
      status: standing?.view.status ?? 'running',
      pending: requests.map(({ id, kind, message }) => ({ id, kind, message, uri: requestUri(id) })),
    },
  };
}

function whyOpen(standing: Standing | null): string {
  if (standing === null) return 'no worker has told how it stands';
  if (standing.view.stuck !== null)
    return `it is stuck, see ${ownCommand(`status ${lastArgument(standing.view.run_id)}`)}`;
  return standing.view.status.replaceAll('_', ' ');
}

/** A request, and who decides it how. */
function askedText(request: HumanRequest): string {
  return [
    requestText(request, { how: false }),
    `  It is for a person to decide, with: ${ownCommand(respondCommand(request))}`,
  ].join('\n');
}

function textBlock(text: string): Block {
  return { type: 'text', text: plainText(text) };
}

function link(uri: string, name: string, description: string): Block {
  return { type: 'resource_link', uri, name, description, mimeType: 'application/json' };
}
