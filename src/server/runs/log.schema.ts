import { z } from '@hono/zod-openapi';
import { jsonObject, jsonValue, leftOut, passedOn, time } from '../http/common.schema.js';
import { authority, level, passSchema, sourceLine, status, warning } from './run.schema.js';

/** One checkpoint, as `log` of the command line shows it. */
export const logEntrySchema = passedOn({
  position: z.string(),
  name: z.string(),
  type: z.string(),
  status: z.enum(['completed', 'failed']),
  request: jsonValue,
  input: jsonValue,
  result: jsonValue,
  error: z.string().nullable(),
  timestamp: time,
  duration_ms: z.number(),
  by_verified: leftOut(z.boolean()),
  early: leftOut(z.literal(true)),
  source: sourceLine.nullable(),
}).openapi('LogEntry');

export const logSchema = passedOn({
  procedure_id: z.string(),
  status,
  authority: leftOut(authority),
  replay_index: z.number().int(),
  pass: leftOut(passSchema),
  state: jsonObject,
  execution_log: z.array(logEntrySchema),
  next: z.number().int().nullable().openapi({ description: '`from` of the next page; null at the end' }),
}).openapi('Log');

/** What a run showed, each line once. */
export const shownSchema = z
  .discriminatedUnion('kind', [
    passedOn({ kind: z.literal('print'), text: z.string() }),
    passedOn({ kind: z.literal('log'), level, message: z.string(), context: jsonValue }),
    passedOn({ kind: z.literal('warning'), ...warning }),
  ])
  .openapi('PrintedLine');

export const printedSchema = z
  .object({ shown: z.array(shownSchema), next: z.number().int(), pass: leftOut(passSchema) })
  .openapi('Printed');
