import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { Documents, type Document, type Write } from './documents.js';
import { answer, type StructuredQuery } from './query.js';
import { Refusal } from './refusal.js';

export interface FirestoreStandIn {
  port: number;
  stop: () => void;
}

interface Asked {
  documents: string[];
  writes: Write[];
  parent: string;
  structuredQuery: StructuredQuery;
}

type Call = grpc.ServerWritableStream<Asked, object>;

/** Speaks as much of Firestore's protocol as its client speaks for a storage, over gRPC, by the definitions that the client has. */
export async function startFirestoreStandIn(at = 0): Promise<FirestoreStandIn> {
  const documents = new Documents();
  const server = new grpc.Server({ 'grpc.max_receive_message_length': 11 * 1024 * 1024 });
  server.addService(definition(), {
    commit: unary(({ writes }) => {
      const commitTime = documents.commit(writes);
      return { commitTime, writeResults: writes.map(() => ({ updateTime: commitTime })) };
    }),
    batchGetDocuments: streamed(({ documents: names }) => {
      const readTime = documents.now();
      return names.map((name) => {
        const found = documents.get(name);
        return { readTime, ...(found === null ? { missing: name } : { found: copy(found) }) };
      });
    }),
    runQuery: streamed(({ parent, structuredQuery }) => {
      const readTime = documents.now();
      const found = answer(documents, parent, structuredQuery);
      return found.length === 0
        ? [{ readTime }]
        : found.map((document) => ({ document: copy(document), readTime }));
    }),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${at}`, grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return { port, stop: () => server.forceShutdown() };
}

function definition(): grpc.ServiceDefinition {
  const main = createRequire(import.meta.url).resolve('@google-cloud/firestore');
  const text = readFileSync(join(dirname(main), '..', 'protos', 'v1.json'), 'utf8');
  const packages = fromJSON(JSON.parse(text) as Parameters<typeof fromJSON>[0], {
    ...{ longs: String, enums: String, oneofs: false, defaults: false, arrays: true },
  });
  return packages['google.firestore.v1.Firestore'] as grpc.ServiceDefinition;
}

function unary(work: (asked: Asked) => object): grpc.handleUnaryCall<Asked, object> {
  return ({ request }, done) => {
    try {
      done(null, work(request));
    } catch (error) {
      done(told(error));
    }
  };
}

function streamed(work: (asked: Asked) => object[]): (call: Call) => void {
  return (call) => {
    try {
      for (const each of work(call.request)) call.write(each);
      call.end();
    } catch (error) {
      call.emit('error', told(error));
    }
  };
}

function told(error: unknown): Partial<grpc.StatusObject> {
  if (!(error instanceof Refusal)) throw error;
  return { code: error.code, details: error.message };
}

/** What is written into an answer is not what is kept. */
function copy(document: Document): Document {
  return { ...document, fields: { ...document.fields } };
}
