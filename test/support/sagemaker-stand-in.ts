import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { awsCredentials } from './aws-credentials.js';

interface InvokedEndpoint {
  endpoint: string;
  variant: string | null;
  contentType: string;
  body: string;
}

/** What an endpoint does with a request; `status` 424 with `original` is what SageMaker answers where the model's container failed. */
export type SageMakerAnswer =
  | { json: unknown; variant?: string }
  | { text: string; contentType: string }
  | { error: { status: number; type: string; message: string; original?: number } }
  | { hang: true };

export interface SageMakerStandIn {
  url: string;
  /** What was asked with a signature that holds. */
  invoked: InvokedEndpoint[];
  /** How many were opened. */
  connections(): number;
  reply(answer: (asked: InvokedEndpoint) => SageMakerAnswer): void;
  close(): Promise<void>;
}

/**
 * Endpoints of SageMaker as clients see them, `POST /endpoints/{name}/invocations`. Requests that aren't signed with the
 * tests' credentials are refused, as AWS refuses them: Signature Version 4, over method, path, headers and body.
 */
export async function startSageMaker(): Promise<SageMakerStandIn> {
  const invoked: InvokedEndpoint[] = [];
  let answer: (asked: InvokedEndpoint) => SageMakerAnswer = () => ({ json: null });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const path = /^\/endpoints\/([^/]+)\/invocations$/.exec(request.url ?? '');
      const isSigned = signatureOf(request, body) === request.headers.authorization;
      const refused = {
        status: 403,
        type: 'InvalidSignatureException',
        message: 'The signature does not match',
      };
      const missing = {
        status: 404,
        type: 'UnknownOperationException',
        message: `${request.method} ${request.url}`,
      };
      const asked = {
        endpoint: decodeURIComponent(path?.[1] ?? ''),
        variant: (request.headers['x-amzn-sagemaker-target-variant'] as string | undefined) ?? null,
        contentType: request.headers['content-type'] ?? '',
        body: body.toString(),
      };
      if (isSigned && path !== null) invoked.push(asked);
      const said: SageMakerAnswer = !isSigned
        ? { error: refused }
        : path === null || request.method !== 'POST'
          ? { error: missing }
          : answer(asked);
      if ('hang' in said) return;
      if ('error' in said) {
        const { status, type, message, original } = said.error;
        response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
        response.end(
          JSON.stringify({ Message: message, OriginalStatusCode: original, OriginalMessage: message }),
        );
      } else if ('text' in said) {
        response.writeHead(200, { 'content-type': said.contentType });
        response.end(said.text);
      } else {
        response.writeHead(200, {
          'content-type': 'application/json',
          'x-amzn-invoked-production-variant': said.variant ?? 'AllTraffic',
        });
        response.end(JSON.stringify(said.json));
      }
    });
  });
  let opened = 0;
  server.on('connection', () => opened++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    invoked,
    connections: () => opened,
    reply: (next) => {
      answer = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What the header must say by AWS's algorithm, with the date, region and headers that the request names. */
function signatureOf(request: IncomingMessage, body: Buffer): string | null {
  const given = request.headers.authorization ?? '';
  const [, scope = '', names = ''] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\S+), SignedHeaders=(\S+), Signature=/.exec(given) ?? [];
  const [date = '', region = '', service = ''] = scope.split('/');
  if (service !== 'sagemaker' || !names.split(';').includes('host')) return null;
  const headers = names.split(';').map(
    (name) =>
      `${name}:${String(request.headers[name] ?? '')
        .trim()
        .replace(/ +/g, ' ')}\n`,
  );
  const path = (request.url ?? '')
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/');
  const canonical = [request.method, path, '', headers.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (last, part) => createHmac('sha256', last).update(part).digest(),
    `AWS4${awsCredentials.AWS_SECRET_ACCESS_KEY}`,
  );
  const signature = createHmac('sha256', key).update(text).digest('hex');
  const credential = `${awsCredentials.AWS_ACCESS_KEY_ID}/${scope}`;
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
