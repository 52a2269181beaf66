import { request } from 'node:http';

/** A request whose body has begun, and doesn't end by itself. */
export interface OpenBody {
  /** Resolves when the server answers, whatever has come of the body; rejects where it closes the connection. */
  answered: Promise<{ status: number; body: string }>;
  write(text: string): void;
  end(): void;
  leave(): void;
}

/** Sends the head of a request, and the beginning of a body that tells no length. */
export function openBody(
  url: string,
  { method = 'POST', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): OpenBody {
  const sent = request(url, { method, headers: { 'transfer-encoding': 'chunked', ...headers } });
  const answered = new Promise<{ status: number; body: string }>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (part: string) => (body += part));
      answer.once('error', reject);
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
  });
  answered.catch(() => undefined);
  sent.write('{"x":"');
  return {
    answered,
    write: (text) => void sent.write(text),
    end: () => void sent.end(),
    leave: () => void sent.destroy(),
  };
}
