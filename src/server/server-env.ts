import type { HttpBindings } from '@hono/node-server';
import type { Identity } from './access/identity.js';
import type { OpenedLink } from './people/links.js';

/** What goes with each request through Hono. */
export interface ServerEnv {
  Bindings: HttpBindings;
  Variables: {
    identity: Identity;
    /** Of a request that shows a link in place of a token. */
    link: OpenedLink;
    /** What the audit log says of it that its path doesn't. */
    audit: { namespace?: string; run?: string; hook?: string; outcome?: string };
  };
}
