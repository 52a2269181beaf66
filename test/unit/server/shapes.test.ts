import type { z } from '@hono/zod-openapi';
import { expectTypeOf, it } from 'vitest';
import type { RunReport } from '../../../src/client/index.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import type { Verdict } from '../../../src/contract/people/decision.js';
import type { LogEntryView, LogPage, Shown } from '../../../src/contract/runs/run-view.js';
import type { RunError } from '../../../src/contract/errors.js';
import type { IndexedRequest } from '../../../src/read-model/run-index.js';
import type { Identity } from '../../../src/server/access/identity.js';
import type { Me } from '../../../src/server/access/me.schema.js';
import type {
  humanRequestSchema,
  pendingRequestSchema,
  requestKinds,
  verdictSchema,
} from '../../../src/server/people/request.schema.js';
import type { Drawn } from '../../../src/server/procedures/drawing/shown-source.js';
import type { graphSchema } from '../../../src/server/procedures/graph.schema.js';
import type { procedureSchema } from '../../../src/server/procedures/procedure.schema.js';
import type {
  errorSchema,
  logEntrySchema,
  logSchema,
  runSchema,
  shownSchema,
} from '../../../src/server/runs/run.schema.js';
import type { Validation } from '../../../src/validation/index.js';

// What runs and the client tell has types of its own: zod must not get into workflows. The compiler (`npm run typecheck`) holds them
// and the schemas equal: a field of one that the other lacks, or has otherwise, is an error here.

/** One object type, of several joined. */
type Flat<T> = T extends unknown ? { [K in keyof T]: T[K] } : never;

it('shows a run as its report is', () => {
  expectTypeOf<z.infer<typeof runSchema>>().toEqualTypeOf<Flat<RunReport>>();
  expectTypeOf<z.infer<typeof errorSchema>>().toEqualTypeOf<RunError>();
});

it('shows the log as a run pages it', () => {
  expectTypeOf<z.infer<typeof logEntrySchema>>().toEqualTypeOf<LogEntryView>();
  expectTypeOf<z.infer<typeof logSchema>>().toEqualTypeOf<LogPage>();
  expectTypeOf<z.infer<typeof shownSchema>>().toEqualTypeOf<Flat<Shown>>();
});

it('shows requests as runs ask them, and verdicts as runs give them', () => {
  expectTypeOf<z.infer<typeof pendingRequestSchema>>().toEqualTypeOf<HumanRequest>();
  expectTypeOf<z.infer<typeof humanRequestSchema>>().toEqualTypeOf<Flat<IndexedRequest>>();
  expectTypeOf<(typeof requestKinds)[number]>().toEqualTypeOf<HumanRequest['kind']>();
  expectTypeOf<z.infer<typeof verdictSchema>>().toEqualTypeOf<Verdict>();
});

it('shows procedures and graphs as they are found and drawn', () => {
  expectTypeOf<z.infer<typeof procedureSchema>['describe']>().toEqualTypeOf<Flat<Validation['describe']>>();
  expectTypeOf<z.infer<typeof graphSchema>>().toEqualTypeOf<Flat<Drawn>>();
});

it('knows each way to prove a name', () => {
  expectTypeOf<Me['authentication'][number]>().toEqualTypeOf<Identity['mode']>();
});
