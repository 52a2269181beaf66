import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { TactusError } from '../../contract/errors.js';
import { RequestProblem } from '../problem.js';
import { reply } from '../reply.js';
import { namespaceParams, plainWord } from '../schemas/ids.schema.js';
import { json, problems } from '../schemas/problem.schema.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import { findUpload, keepUpload } from '../uploads.js';

const tags = ['files'];
const path = '/api/v1/namespaces/{namespace}/files';
/** Files are no JSON: they pass without being held to it. */
export const filesPath = /^\/api\/v1\/namespaces\/[^/]+\/files$/;
const binary = z.any().openapi({ type: 'string', format: 'binary' });

const uploadSchema = z
  .object({
    id: z.string(),
    sha256: z.string(),
    value: z.object({ name: z.string(), url: z.string(), size: z.number().int(), type: z.string() }).openapi({
      description: 'For the decision; `url` is where whoever may read in the namespace has it back',
    }),
  })
  .openapi('Upload');

const keep = createRoute({
  method: 'post',
  path,
  operationId: 'keepFile',
  summary: 'Hand in a file: `value` of the answer is that of a decision on a request of the kind `upload`',
  tags,
  request: {
    params: namespaceParams,
    query: z.object({
      name: plainWord(255)
        .refine((text) => !/[\\/]/.test(text), 'a name, and no path')
        .openapi({ example: 'report.pdf' }),
    }),
    body: { required: true, content: { 'application/octet-stream': { schema: binary } } },
  },
  responses: { 201: json(uploadSchema, 'The file'), ...problems },
});

const read = createRoute({
  method: 'get',
  path: `${path}/{file}`,
  operationId: 'readFile',
  summary: 'A file that was handed in',
  tags,
  request: {
    params: namespaceParams.extend({
      file: z
        .string()
        .max(100)
        .openapi({ param: { name: 'file', in: 'path' } }),
    }),
  },
  responses: {
    200: { description: 'Its bytes', content: { 'application/octet-stream': { schema: binary } } },
    ...problems,
  },
});

/** Files that people hand in, and that are had back. */
export function fileRoutes(app: OpenAPIHono<ServerEnv>, { namespaces, publicUrl }: ServerDeps): void {
  app.openapi(keep, async (c) => {
    const { namespace: ns } = c.req.valid('param');
    const namespace = namespaces.open(ns, c.get('identity'), 'decide');
    const { name } = c.req.valid('query');
    const type = mediaType(c.req.header('content-type'));
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    if (bytes.length === 0) throw new TactusError('usage', 'The file is empty');
    const { id, sha256, size } = await keepUpload(namespace, { name, type }, bytes);
    const url = `${publicUrl()}/api/v1/namespaces/${encodeURIComponent(ns)}/files/${id}`;
    return reply(c, 201, { id, sha256, value: { name, url, size, type } });
  });
  app.openapi(read, async (c) => {
    const { namespace, file } = c.req.valid('param');
    const found = await findUpload(namespaces.open(namespace, c.get('identity'), 'read'), file);
    if (found === null) throw new RequestProblem(404, 'usage', 'There is no such file');
    const { upload, bytes } = found;
    // Whatever it is, no browser shows it as a page of ours.
    return c.body(bytes, 200, {
      'content-type': upload.type,
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(upload.name).replace(/['()*]/g, escaped)}`,
      'cache-control': 'private, no-store',
    });
  });
}

function mediaType(header: string | undefined): string {
  const [type = ''] = header?.split(';') ?? [];
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(type.trim())
    ? type.trim().toLowerCase()
    : 'application/octet-stream';
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
