import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Container, type Definition } from './container.js';
import { answer, plan, ranges, type Asked } from './query.js';
import { Refusal } from './refusal.js';
import { signature } from './signature.js';

export interface CosmosStandIn {
  endpoint: string;
  /** Null where nobody has made it. */
  container(database: string, id: string): Container | null;
  stop(): Promise<void>;
}

interface Answer {
  status: number;
  body: object | null;
  headers?: Record<string, string>;
}

/** Speaks as much of Cosmos DB's protocol as its client speaks for a storage, to whoever has the key. `at`: the port, where it can't be any. */
export async function startCosmosStandIn(key: string, at = 0): Promise<CosmosStandIn> {
  const databases = new Map<string, Map<string, Container>>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { status, body, headers } = told(() => {
        const { method = '', url = '', headers: said } = request;
        if (said.authorization !== signature(key, method, url, String(said['x-ms-date'])))
          throw new Refusal(401, 'The input authorization token can not serve the request.');
        return answered(databases, request, Buffer.concat(chunks).toString());
      });
      response.writeHead(status, {
        ...{ 'content-type': 'application/json', 'x-ms-request-charge': '1', 'x-ms-session-token': '0:-1#1' },
        ...headers,
      });
      response.end(body === null ? undefined : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => void server.listen(at, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    container: (database, id) => databases.get(database)?.get(id) ?? null,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function told(work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, body: { message: error.message, ...error.more } };
  }
}

function answered(
  databases: Map<string, Map<string, Container>>,
  request: IncomingMessage,
  text: string,
): Answer {
  const { method = '', url = '' } = request;
  const [, database, , container, kind, id] = url.split('/').slice(1).map(decodeURIComponent);
  const containers = database === undefined || database === '' ? null : databases.get(database);
  const ask = `${method} ${url
    .split('/')
    .slice(1)
    .filter((_, i) => i % 2 === 0)
    .join('/')}`;
  const made = (): Definition => JSON.parse(text) as Definition;
  if (ask === 'GET ')
    return {
      status: 200,
      body: { id: 'account', userConsistencyPolicy: { defaultConsistencyLevel: 'Session' } },
    };
  if (ask === 'POST dbs') {
    if (databases.has(made().id)) throw new Refusal(409, 'The database exists already.');
    databases.set(made().id, new Map());
    return { status: 201, body: made() };
  }
  if (containers === undefined || containers === null)
    throw new Refusal(404, 'Owner resource does not exist');
  if (ask === 'GET dbs') return { status: 200, body: { id: database } };
  if (ask === 'POST dbs/colls') {
    if (containers.has(made().id)) throw new Refusal(409, 'The container exists already.');
    containers.set(made().id, new Container(made()));
    return { status: 201, body: made() };
  }
  const found = containers.get(container ?? '');
  if (found === undefined) throw new Refusal(404, 'Owner resource does not exist');
  if (ask === 'GET dbs/colls') return { status: 200, body: { _rid: 'c', ...found.definition } };
  if (ask === 'GET dbs/colls/pkranges') return { status: 200, body: { PartitionKeyRanges: ranges } };
  if (kind !== 'docs') throw new Refusal(400, `${ask} is not known`);
  return ofItems(found, request, text, id);
}

function ofItems(
  container: Container,
  { method = '', headers }: IncomingMessage,
  text: string,
  id = '',
): Answer {
  const isSaid = (name: string): boolean => String(headers[`x-ms-${name}`]).toLowerCase() === 'true';
  if (isSaid('cosmos-is-query-plan-request')) return { status: 200, body: plan(JSON.parse(text) as Asked) };
  const said = headers['x-ms-documentdb-partitionkey'];
  const [partition] = said === undefined ? [] : (JSON.parse(String(said)) as string[]);
  if (isSaid('documentdb-isquery')) return queried(container, headers, text, partition);
  if (partition === undefined)
    throw new Refusal(400, 'PartitionKey value must be supplied for this operation.');
  const ifMatch = headers['if-match'];
  if (method === 'DELETE') {
    container.delete(partition, id, ifMatch);
    return { status: 204, body: null };
  }
  if (method === 'GET') return ofItem(200, container.get(partition, id));
  if (method === 'PUT') return ofItem(200, container.replace(partition, id, text, ifMatch));
  if (method !== 'POST') throw new Refusal(405, `${method} is not known`);
  return ofItem(
    201,
    isSaid('documentdb-is-upsert') ? container.upsert(partition, text) : container.create(partition, text),
  );
}

function ofItem(status: number, item: { _etag: string }): Answer {
  return { status, body: item, headers: { etag: item._etag } };
}

function queried(
  container: Container,
  headers: IncomingMessage['headers'],
  text: string,
  partition: string | undefined,
): Answer {
  const range = headers['x-ms-documentdb-partitionkeyrangeid'];
  const after = headers['x-ms-continuation'];
  const { found, last } = answer(container, JSON.parse(text) as Asked, {
    ...(partition === undefined ? {} : { partition }),
    ...(range === undefined ? {} : { range: String(range) }),
    ...(after === undefined ? {} : { after: String(JSON.parse(String(after))) }),
    // A page has a thousand at most, as it has 4 MB at most.
    limit: Math.min(Number(headers['x-ms-max-item-count'] ?? 100), 1_000),
  });
  const next = last === null ? {} : { 'x-ms-continuation': JSON.stringify(last) };
  return { status: 200, body: { _rid: 'c', Documents: found, _count: found.length }, headers: next };
}
