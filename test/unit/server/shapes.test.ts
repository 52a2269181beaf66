import { createRoute, OpenAPIHono, type z } from '@hono/zod-openapi';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { RunReport } from '../../../src/client/index.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import type { Verdict } from '../../../src/contract/people/decision.js';
import type { LogEntryView, LogPage, Shown } from '../../../src/contract/runs/run-view.js';
import type { RunError } from '../../../src/contract/errors.js';
import type { IndexedRequest } from '../../../src/read-model/run-index.js';
import type { Identity } from '../../../src/server/access/identity.js';
import { deadLetterListSchema } from '../../../src/server/dead-letters/dead-letter.schema.js';
import { deadLetterRoutes } from '../../../src/server/dead-letters/dead-letter-routes.js';
import type { Me } from '../../../src/server/access/me.schema.js';
import {
  requestListSchema,
  requestStateSchema,
  type humanRequestSchema,
  type pendingRequestSchema,
  type requestKinds,
  type verdictSchema,
} from '../../../src/server/people/request.schema.js';
import { requestRoutes } from '../../../src/server/people/request-routes.js';
import type { Drawn } from '../../../src/server/procedures/drawing/shown-source.js';
import { graphSchema } from '../../../src/server/procedures/graph.schema.js';
import { procedureRoutes } from '../../../src/server/procedures/procedure-routes.js';
import type { procedureSchema } from '../../../src/server/procedures/procedure.schema.js';
import {
  logSchema,
  printedSchema,
  type logEntrySchema,
  type shownSchema,
} from '../../../src/server/runs/log.schema.js';
import { runListSchema, runSchema, type errorSchema } from '../../../src/server/runs/run.schema.js';
import { json } from '../../../src/server/http/common.schema.js';
import { runRoutes } from '../../../src/server/runs/run-routes.js';
import type { ServerDeps } from '../../../src/server/server-deps.js';
import type { ServerEnv } from '../../../src/server/server-env.js';
import type { Answers } from '../../../src/server/shapes.js';
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

describe('the type of an answer that follows from its path', () => {
  /** The compiler holds the types of `Answers` and these schemas equal; the test, these schemas and those of the routes. */
  const schemas = {
    '/dead-letters': deadLetterListSchema,
    '/requests': requestListSchema,
    '/requests/{request}': requestStateSchema,
    '/runs': runListSchema,
    '/runs/{run}': runSchema,
    '/runs/{run}/graph': graphSchema,
    '/runs/{run}/log': logSchema,
    '/runs/{run}/printed': printedSchema,
  } satisfies { [Path in keyof Answers]: z.ZodType<Answers[Path]> };

  /** What the document of some routes says of the answer to `GET`. */
  const documented = (app: OpenAPIHono<ServerEnv>, path: string): unknown =>
    app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: '', version: '' } }).paths?.[path]?.get
      ?.responses?.['200'];

  const server: OpenAPIHono<ServerEnv> = new OpenAPIHono();
  // No route is asked.
  const deps = { namespaces: {}, procedures: {} } as ServerDeps;
  runRoutes(server, deps);
  deadLetterRoutes(server, deps);
  requestRoutes(server, deps);
  procedureRoutes(server, deps);

  it.each(Object.entries(schemas))('is that of the route of %s', (path, schema) => {
    const alone = new OpenAPIHono<ServerEnv>();
    const responses = { 200: json(schema, 'the same') };
    alone.openAPIRegistry.registerPath(createRoute({ method: 'get', path: '/alone', responses }));
    const route = documented(server, `/api/v1/namespaces/{namespace}${path}`);
    expect(route).toEqual({
      ...(documented(alone, '/alone') as object),
      description: expect.any(String) as string,
    });
  });
});
