import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { addressOf } from '../guards/rate-limits.js';
import { RequestProblem } from '../http/problem.js';
import { reply } from '../http/reply.js';
import { json, namespaceParams, problems } from '../http/common.schema.js';
import { uploadQuery, uploadSchema } from './upload.schema.js';
import type { ServerDeps } from '../server-deps.js';
import type { ServerEnv } from '../server-env.js';
import { keepSentFile, passiveType } from './sent-file.js';

const tags = ['files'];
const path = '/api/v1/namespaces/{namespace}/files';
/** Files are no JSON: they pass without being held to it. */
export const filesPath = /^\/api\/v1\/(namespaces\/[^/]+|link)\/files$/;
const binary = z.any().openapi({ type: 'string', format: 'binary' });

const keep = createRoute({
  method: 'post',
  path,
  operationId: 'keepFile',
  summary: 'Hand in a file: `value` of the answer is that of a decision on a request of the kind `upload`',
  tags,
  request: {
    params: namespaceParams,
    query: uploadQuery,
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
    const sender = c.get('identity').name ?? addressOf(c);
    return reply(c, 201, await keepSentFile(c, namespace, { name, sender }, publicUrl()));
  });
  app.openapi(read, async (c) => {
    const { namespace, file } = c.req.valid('param');
    const found = await namespaces.open(namespace, c.get('identity'), 'read').uploads.find(file);
    if (found === null) throw new RequestProblem(404, 'usage', 'There is no such file');
    const { upload, bytes } = found;
    // Whatever it is, no browser shows it as a page of ours.
    return c.body(bytes, 200, {
      'content-type': passiveType(upload.type),
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(upload.name).replace(/['()*]/g, escaped)}`,
      'cache-control': 'private, no-store',
    });
  });
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
