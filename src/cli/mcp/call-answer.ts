import type { CallToolResult } from '@modelcontextprotocol/server';
import { respondCommand } from '../../contract/people/request-text.js';
import { ownCommand, TactusError, lastArgument, jsonText, placeText } from '../command.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { plainText } from '../../contract/text/plain-text.js';
import { requestText } from '../people/requests.js';
import type { Standing } from './procedure-calls.js';
import { requestUri, runUri } from './resources.js';
import { waitToolName } from './tools.js';

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
export function askedText(request: HumanRequest): string {
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
