import {
  inputRequired,
  inputResponse,
  type ClientCapabilities,
  type InputRequests,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { HumanRequest } from '../../contract/people/human-request.js';
import type { JsonObject } from '../../contract/json/json.js';
import { plainText } from '../../contract/text/plain-text.js';
import { accountName } from '../authority/signing-options.js';
import { requestText } from '../people/requests.js';
import { requestForm } from './request-form.js';
import type { SessionOnDemand } from './procedure-calls.js';

/** Requests that a client's user was shown, by their ids, each with the digest of what was shown. */
export type Shown = Record<string, string>;

/** What became of what a client's user answered. */
export interface Answered {
  /** Requests that aren't shown to this user again: the user has decided them, declined, or isn't allowed to decide. */
  settled: string[];
  /** Messages for the user. */
  notes: string[];
}

/** The requests as forms for the client's user, by their ids. */
export function inputRequests(requests: readonly HumanRequest[], notes: readonly string[]): InputRequests {
  return Object.fromEntries(
    requests.map((request) => [
      request.id,
      inputRequired.elicit({
        message: plainText([...notes, requestText(request, { how: false })].join('\n\n')),
        requestedSchema: requestForm(request).schema as Parameters<
          typeof inputRequired.elicit
        >[0]['requestedSchema'],
      }),
    ]),
  );
}

export function shownOf(requests: readonly HumanRequest[]): Shown {
  return Object.fromEntries(requests.map(({ id, digest }) => [id, digest]));
}

/**
 * Takes what a client's user has answered for decisions, each bound to what that user was shown. Declined and cancelled ones leave their requests open.
 * @param open the requests as they are now
 * @throws TactusError no_worker
 */
export async function takeAnswers(
  sessions: SessionOnDemand,
  open: readonly HumanRequest[],
  shown: Shown,
  responses: Record<string, unknown> | undefined,
  as = accountName(),
): Promise<Answered> {
  const answered: Answered = { settled: [], notes: [] };
  for (const [id, digest] of Object.entries(shown)) {
    const response = inputResponse(responses, id);
    if (response.kind !== 'elicit') continue;
    if (response.action !== 'accept') {
      answered.settled.push(id);
      answered.notes.push(
        `${id} is left open: it was ${response.action === 'decline' ? 'declined' : 'not answered'} here.`,
      );
      continue;
    }
    const request = open.find((each) => each.id === id);
    if (request === undefined) {
      answered.notes.push(`The answer to ${id} came late: somebody else has decided, or its time was over.`);
      continue;
    }
    const decision = requestForm(request).read((response.content ?? {}) as JsonObject);
    const session = await sessions.get();
    const { outcome, message } = await session.decide(request.run_id, {
      request: id,
      ...decision,
      by: as,
      digest,
    });
    // What can't be counted is asked for once more, and the reason with it.
    if (outcome !== 'invalid') answered.settled.push(id);
    if (outcome !== 'accepted')
      answered.notes.push(`The answer to ${id} is ${outcome.replace('_', ' ')}: ${message}.`);
  }
  return answered;
}

const inEnvelope = 'io.modelcontextprotocol/clientCapabilities';

/** What the client says with its request that it can do; undefined before revision 2026-07-28. */
export function clientCapabilities({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  return (mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined)?.[inEnvelope];
}
