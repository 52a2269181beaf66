import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';
import type { ProviderRequest } from '../provider-stand-in.js';

/** What becomes of a request of a batch; null: it isn't answered before the batch ends. */
export type BatchedAnswer = { status: number; body: JsonValue } | null;

interface Batch {
  id: string;
  /** Its requests, as if each had come by itself. */
  requests: ProviderRequest[];
  customIds: string[];
  metadata: JsonValue;
  isCancelled: boolean;
  /** Made when somebody looks at it once it is ready. */
  answers: BatchedAnswer[] | null;
}

type Http = { status: number; headers?: Record<string, string>; body: JsonValue };

/** Batches by files, as OpenAI and Groq have them, and by messages, as Anthropic does. */
export class BatchesStandIn {
  readonly begun: Batch[] = [];
  /** Asked at each look. */
  isReady: () => boolean = () => true;
  /** How batches by files end. */
  end = 'completed';
  /** Why they do. */
  reason: string | null = null;
  private readonly files: string[] = [];

  /** @param answerTo what is answered to a request, as if it had come by itself */
  constructor(private readonly answerTo: (request: ProviderRequest) => BatchedAnswer) {}

  /** What is answered at a path of batches; null: it is another path. */
  answer(request: ProviderRequest): Http | null {
    const { method, path, body } = request;
    if (/\/files$/.test(path)) return json({ id: `file_${this.files.push(textOf(body['value']))}` });
    const [, file] = /\/files\/([^/]+)\/content$/.exec(path) ?? [];
    if (file !== undefined) return this.fileLines(file);
    const [, id, more] = /\/batches\/([^/?]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const isMessages = path.includes('/messages/batches');
    if (id !== undefined) {
      const batch = this.begun.find((each) => each.id === id);
      if (batch === undefined) return { status: 404, body: { error: { message: `no batch ${id}` } } };
      if (more === 'cancel') batch.isCancelled = true;
      if (more === 'results') return lines(this.answersOf(batch).map(messageLine(batch)));
      return json(isMessages ? this.messagesShown(batch) : this.shown(batch));
    }
    if (!/\/batches(\?.*)?$/.test(path)) return null;
    if (method === 'GET') return json({ data: this.begun.map((batch) => this.shown(batch)) });
    return json(
      isMessages ? this.messagesShown(this.beginMessages(request)) : this.shown(this.begin(request)),
    );
  }

  private begin({ path, headers, left, body }: ProviderRequest): Batch {
    const text = this.files[Number(textOf(body['input_file_id']).slice('file_'.length)) - 1] ?? '';
    const asked = text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { custom_id: string; url: string; body: JsonObject });
    const before = path.slice(0, path.indexOf('/v1/'));
    const requests = asked.map((each) => ({
      ...{ method: 'POST', path: before + each.url, headers, left, body: each.body },
    }));
    return this.add(asked, requests, body['metadata'] ?? null);
  }

  private beginMessages({ path, headers, left, body }: ProviderRequest): Batch {
    const asked = body['requests'] as unknown as { custom_id: string; params: JsonObject }[];
    const requests = asked.map(({ params }) => ({
      ...{ method: 'POST', path: path.replace(/\/batches$/, ''), headers, left, body: params },
    }));
    return this.add(asked, requests, null);
  }

  private add(asked: { custom_id: string }[], requests: ProviderRequest[], metadata: JsonValue): Batch {
    const id = `batch_${this.begun.length + 1}`;
    const customIds = asked.map(({ custom_id }) => custom_id);
    const batch: Batch = { id, requests, customIds, metadata, isCancelled: false, answers: null };
    this.begun.push(batch);
    return batch;
  }

  private answersOf(batch: Batch): BatchedAnswer[] {
    batch.answers ??= batch.requests.map((request) => this.answerTo(request));
    return batch.answers;
  }

  private shown(batch: Batch): JsonObject {
    const { id, metadata, isCancelled } = batch;
    const status = isCancelled ? 'cancelled' : this.isReady() ? this.end : 'in_progress';
    const errors = this.reason === null ? null : { data: [{ message: this.reason }] };
    const file = status === 'completed' || status === 'expired' ? `out_${id}` : null;
    return { id, status, metadata, errors, output_file_id: file, error_file_id: null };
  }

  private messagesShown({ id, isCancelled }: Batch): JsonObject {
    const isEnded = isCancelled || this.isReady();
    // The stand-in's word for where its results are; a client that holds a key goes nowhere else with it.
    const results_url = isEnded ? 'https://elsewhere.example/results' : null;
    return { id, processing_status: isEnded ? 'ended' : 'in_progress', results_url };
  }

  private fileLines(file: string): Http {
    const batch = this.begun.find(({ id }) => file === `out_${id}`);
    if (batch === undefined) return { status: 404, body: { error: { message: `no file ${file}` } } };
    return lines(
      this.answersOf(batch).flatMap((answer, index): JsonObject[] => {
        if (answer === null) return [];
        const response = { status_code: answer.status, body: answer.body };
        return [{ id: `line_${index}`, custom_id: batch.customIds[index] ?? '', response, error: null }];
      }),
    );
  }
}

function messageLine({ customIds }: Batch): (answer: BatchedAnswer, index: number) => JsonObject {
  return (answer, index) => {
    const custom_id = customIds[index] ?? '';
    if (answer === null) return { custom_id, result: { type: 'expired' } };
    const { status, body } = answer;
    const result = status === 200 ? { type: 'succeeded', message: body } : { type: 'errored', error: body };
    return { custom_id, result };
  };
}

function json(body: JsonObject): Http {
  return { status: 200, body };
}

/** In no order that could be relied on: the last first. */
function lines(objects: JsonObject[]): Http {
  const text = objects.reverse().map((each) => JSON.stringify(each));
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body: text.join('\n') };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
