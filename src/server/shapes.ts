/**
 * Types of what the HTTP API answers, each from the schema of its route: for whoever reads the answers. Nothing here is left when it is
 * compiled, so that the page gets no zod.
 */
import type { z } from '@hono/zod-openapi';
import type { DeadLetterPage, deadLetterSchema } from './dead-letters/dead-letter.schema.js';
import type { humanRequestSchema, RequestPage, RequestState } from './people/request.schema.js';
import type { graphSchema } from './procedures/graph.schema.js';
import type { logSchema, printedSchema } from './runs/log.schema.js';
import type { RunPage, runSchema } from './runs/run.schema.js';

export type { Me } from './access/me.schema.js';
export type { SentFile } from './files/upload.schema.js';
export type { Problem } from './http/common.schema.js';
export type { LinkedState } from './people/link.schema.js';
export type { ClosedRequest, RequestPage, RequestState } from './people/request.schema.js';
export type { ListedRun } from './runs/run.schema.js';

/** An open request, and the procedure whose run asks it. */
export type AskedRequest = z.infer<typeof humanRequestSchema>;

export type DeadLetter = z.infer<typeof deadLetterSchema>;
export type Run = z.infer<typeof runSchema>;
/** A run as its events tell it: what may be large is read by itself. */
export type RunStanding = Omit<Run, 'output' | 'state' | 'printed' | 'logs'>;
export type Printed = z.infer<typeof printedSchema>;
/** What a procedure may do, as a graph of its source. */
export type Graph = z.infer<typeof graphSchema>;

/** What `GET` answers, by its path in a namespace. */
export interface Answers {
  '/dead-letters': DeadLetterPage;
  '/requests': RequestPage;
  '/requests/{request}': RequestState;
  '/runs': RunPage;
  '/runs/{run}': Run;
  '/runs/{run}/graph': Graph;
  '/runs/{run}/log': z.infer<typeof logSchema>;
  '/runs/{run}/printed': Printed;
}
