import type { RequestOrigin } from './human-request.js';

/** Which agent outside wants an answer, and who does what follows from it. */
export function originText({ source, protocol, address, task }: RequestOrigin): string {
  const of = task === null ? '' : `, its task ${task}`;
  return `${source} (${protocol}) at ${address}${of}: decided here, done there`;
}
