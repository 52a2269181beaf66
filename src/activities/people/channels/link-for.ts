import { signLink, type LinkSigner } from '../../../authority/sign-link.js';
import type { Channel } from '../../../contract/people/channels/channel.js';
import { requestPaths } from '../../../contract/people/channels/request-paths.js';
import type { ToldRequest } from '../../../contract/people/channels/tell-people.js';

export interface Linking {
  publicUrl: string | undefined;
  signer: LinkSigner | undefined;
  namespace: string;
  /** Told of each signature, which must not get into any history: all else of a link can be guessed. */
  made: (signature: string) => void;
}

/** Gives the address of a link by which a person answers; null: they go by the page, and sign in there. */
export type LinkFor = (person: string) => string | null;

/**
 * How a channel links for each person. Where a run takes decisions by their senders' word a link would prove nothing, so there is
 * none; nor for whoever the run would refuse.
 */
export function linkFor(channel: Channel, request: ToldRequest, linking: Linking): LinkFor {
  const { publicUrl, signer, namespace, made } = linking;
  if (channel.links !== true || request.authority !== 'signed') return () => null;
  // No worker with such a channel is without them.
  if (signer === undefined || publicUrl === undefined) return () => null;
  const { approvers, requester } = request;
  return (person) => {
    if (person === requester || (approvers.length > 0 && !approvers.includes(person))) return null;
    const token = signLink(request, { approver: person, namespace }, signer);
    if (token === null) return null;
    made(token.split('.')[1] ?? '');
    return `${publicUrl}${requestPaths.link(token)}`;
  };
}
