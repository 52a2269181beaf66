import { z } from '@hono/zod-openapi';

const nodeSchema = z.object({
  id: z.string(),
  kind: z.enum([
    'start',
    'end',
    'return',
    'error',
    'decision',
    'loop',
    'label',
    'call',
    'agent',
    'tool',
    'toolset',
    'model',
    'human',
    'checkpoint',
    'step',
    'procedure',
    'graph_node',
    'wait',
    'parallel',
    'retry',
    'sleep',
    'file',
    'host',
    'http',
  ]),
  label: z.string(),
  file: z.string(),
  line: z.number().int(),
  group: z.string().nullable().openapi({ description: 'Null outside of all' }),
});

const edgeSchema = z.object({
  from: z.string().openapi({ description: 'A node, or for errors a group' }),
  to: z.string(),
  kind: z.enum(['flow', 'back', 'error', 'call', 'tools', 'before']),
  label: z.string().nullable(),
});

const groupSchema = z.object({
  id: z.string(),
  kind: z.enum([
    'procedure',
    'task',
    'function',
    'graph',
    'tool',
    'step',
    'checkpoint',
    'retry',
    'parallel',
    'branch',
    'pcall',
    'agents',
  ]),
  label: z.string(),
  file: z.string(),
  line: z.number().int(),
  group: z.string().nullable(),
});

/** What a procedure may do, as a graph of its source. */
export const graphSchema = z
  .object({
    entry: z.string(),
    mermaid: z.string(),
    nodes: z.array(nodeSchema),
    edges: z.array(edgeSchema),
    groups: z.array(groupSchema),
  })
  .openapi('Graph');
