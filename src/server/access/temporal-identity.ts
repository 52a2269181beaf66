import type { Identity } from './identity.js';

/** Who asks, as Temporal writes it into the history of a run: `http:token:ann`, `http:link:bob`, `http:webhook:payments`. */
export function temporalIdentity(mode: Identity['mode'] | 'link' | 'webhook', name: string | null): string {
  return ['http', mode, ...(name === null ? [] : [name])].join(':');
}
