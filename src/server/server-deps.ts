import type { Readiness } from '../client/index.js';
import type { StreamReader } from '../streams/run-streams.js';
import type { Access } from './access/authenticate.js';
import type { AuditLog } from './audit/audit-log.js';
import type { Traces } from '../traces/index.js';
import type { EventStreams } from './events/sse.js';
import type { RateLimits } from './guards/rate-limits.js';
import type { LinkKeys } from './people/links.js';
import type { Namespaces } from './namespaces.js';
import type { Webhooks } from './events/webhooks/webhooks.js';
import type { Procedures } from './served-namespace.js';

/** What the routes stand on. */
export interface ServerDeps {
  namespaces: Namespaces;
  access: Access;
  procedures: Procedures;
  streams: StreamReader | null;
  eventStreams: EventStreams;
  rateLimits: RateLimits;
  webhooks: Webhooks;
  /** Whether it is ready for work. */
  readiness: Readiness;
  /** Where it is written who did what; null: nowhere. */
  audit: AuditLog | null;
  /** What links are looked at and answered with; null: none are taken. */
  links: LinkKeys | null;
  /** What its spans are made by; null: it makes none. */
  traces: Traces | null;
  /** Where the server is reached, without a slash at the end. */
  publicUrl: () => string;
  /** Told of what goes wrong here. */
  onTrouble: (problem: string) => void;
}
