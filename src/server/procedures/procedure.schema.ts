import { z } from '@hono/zod-openapi';
import type { Validation } from '../../validation/index.js';
import { jsonValue, leftOut } from '../http/common.schema.js';

export const procedureListSchema = z.object({ procedures: z.array(z.string()) }).openapi('ProcedureList');

type Field = NonNullable<Validation['describe']['input']>[string];

/** A field that a procedure declares. */
const fieldSchema: z.ZodType<Field> = z
  .lazy(() =>
    z.object({
      type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object', 'table', 'any']),
      required: z.boolean(),
      default: leftOut(jsonValue),
      enum: leftOut(z.array(jsonValue)),
      description: leftOut(z.string()),
      items: leftOut(fieldSchema),
      properties: leftOut(fields),
    } satisfies Record<keyof Field, z.ZodType>),
  )
  .openapi('Field');
const fields = z.record(z.string(), fieldSchema);

/** What a procedure says of itself, as `validate` of the command line shows it. */
const describedSchema = z
  .object({
    name: z.string(),
    description: z.string().nullable(),
    version: z.string().nullable(),
    author: z.string().nullable(),
    tags: z.array(z.string()),
    strict_determinism: z.boolean(),
    input: fields.nullable().openapi({ description: 'null where nothing is declared' }),
    output: z.union([fields, fieldSchema, z.null()]),
    state: fields.nullable(),
    agents: z.array(
      z.object({
        name: z.string().nullable(),
        model: z.string().nullable().openapi({ description: 'null where the default is used' }),
        tools: z.array(z.string()),
      }),
    ),
    models: z.array(z.object({ name: z.string().nullable(), type: z.string() })),
    tools: z.array(z.object({ name: z.string().nullable(), description: z.string(), input: fields })),
    tasks: z.array(
      z.object({
        name: z.string(),
        description: z.string().nullable(),
        depends_on: z.array(z.string()),
      }),
    ),
    specifications: z.array(
      z.object({
        feature: z.string().nullable(),
        scenarios: z.array(z.string()),
        from: z.string().nullable(),
      }),
    ),
  })
  .openapi('Description');

export const procedureSchema = z.object({ name: z.string(), describe: describedSchema }).openapi('Procedure');
