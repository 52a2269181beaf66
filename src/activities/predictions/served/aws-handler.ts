/** What an AWS client has sent. */
interface AwsRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  method: string;
  headers: Record<string, string>;
  /** There as a whole. */
  body?: string | Uint8Array<ArrayBuffer>;
}

interface AwsAnswer {
  response: { statusCode: number; headers: Record<string, string>; body: ReadableStream<Uint8Array> | null };
}

export interface AwsHandler {
  /** @param options its signal is one of the platform, for which the client has a type of its own */
  handle(request: AwsRequest, options?: { abortSignal?: unknown }): Promise<AwsAnswer>;
}

/** Sends the requests of an AWS client by a `fetch`. */
export function awsHandler(send: typeof fetch): AwsHandler {
  return {
    async handle({ protocol, hostname, port, path, query = {}, method, headers, body = '' }, options) {
      const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
      for (const [name, given] of Object.entries(query))
        for (const value of [given].flat()) url.searchParams.append(name, value ?? '');
      const signal = (options?.abortSignal ?? null) as AbortSignal | null;
      const response = await send(url, { method, headers, body, signal });
      return {
        response: {
          ...{ statusCode: response.status, headers: Object.fromEntries(response.headers) },
          body: response.body,
        },
      };
    },
  };
}
