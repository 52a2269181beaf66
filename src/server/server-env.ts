import type { HttpBindings } from '@hono/node-server';
import type { Identity } from './access/identity.js';

/** What goes with each request through Hono. */
export interface ServerEnv {
  Bindings: HttpBindings;
  Variables: { identity: Identity };
}
