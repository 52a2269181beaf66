import { z } from '@hono/zod-openapi';
import { runStatuses } from '../../contract/runs/run-view.js';
import { jsonObject, jsonValue, runId } from '../http/common.schema.js';

const time = z.string().openapi({ format: 'date-time' });
const status = z.enum(runStatuses);

const listedRunSchema = z
  .looseObject({
    run_id: z.string(),
    procedure: z.string(),
    status,
    started_at: time,
    closed_at: time.nullable(),
  })
  .openapi('ListedRun');

export const runListSchema = z
  .object({
    source: z.enum(['index', 'runs']),
    runs: z.array(listedRunSchema),
    next: z.string().nullable().openapi({ description: '`after` of the next page; null at the end' }),
  })
  .openapi('RunList');

/** A run, as `status` of the command line shows it. */
export const runSchema = z
  .looseObject({
    run_id: z.string(),
    procedure: z.string(),
    status,
    output: jsonValue,
    state: jsonObject,
    error: z.union([jsonObject, z.null()]),
    pending: z.array(jsonObject),
    waits: z.array(jsonObject),
    children: z.array(z.string()),
    checkpoints: z.number().int(),
    usage: z.object({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cost_usd: z.number().nullable(),
    }),
    started_at: time,
    closed_at: time.nullable(),
    stuck: z.union([jsonObject, z.null()]),
    retrying: z.array(jsonObject),
    incomplete: z.string().optional(),
  })
  .openapi('Run');

export const logSchema = z
  .looseObject({
    procedure_id: z.string(),
    status,
    replay_index: z.number().int(),
    state: jsonObject,
    execution_log: z.array(jsonObject),
    next: z.number().int().nullable().openapi({ description: '`from` of the next page; null at the end' }),
  })
  .openapi('Log');

export const printedSchema = z
  .object({ shown: z.array(jsonObject), next: z.number().int() })
  .openapi('Printed');

export const startBody = z
  .strictObject({
    procedure: z.string().min(1).max(500).openapi({
      description: "Name of a procedure in the server's folders",
      example: 'review',
    }),
    input: jsonObject.optional(),
    task: z.string().min(1).max(500).optional(),
    run_id: runId.optional().openapi({ description: 'The same again gives the run that is there' }),
    timeout: z.string().max(50).optional().openapi({ example: '30d' }),
  })
  .openapi('Start');

export const startedSchema = z.object({ run_id: z.string(), procedure: z.string() }).openapi('Started');

export const endBody = z.strictObject({ reason: z.string().max(1_000).optional() }).openapi('End');

export const endedSchema = z
  .object({ run_id: z.string(), asked: z.enum(['cancel', 'terminate']) })
  .openapi('Ended');
