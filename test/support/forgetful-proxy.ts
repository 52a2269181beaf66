import { createServer, request as ask, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** By what stands in a request's head, and its body. */
export type IsMeant = (request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>, body: string) => boolean;

/** Hands requests on to a server; the answer to one of them gets lost, though it was done. */
export interface ForgetfulProxy {
  endpoint: string;
  /** Of the next one that is meant: `meanwhile` is done after it, before whoever asked learns that nothing comes. */
  forgetNext(isMeant: IsMeant, meanwhile: () => Promise<unknown>): void;
  forgotten(): number;
  stop(): void;
}

export async function startForgetful(target: string): Promise<ForgetfulProxy> {
  let isMeant: IsMeant | null = null;
  let meanwhile = async (): Promise<unknown> => undefined;
  let forgotten = 0;
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const body: Buffer[] = [];
    const forward = ask(new URL(url, target), { method, headers }, (answer) => {
      if (isMeant?.(request, Buffer.concat(body).toString()) !== true) {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
        return;
      }
      [isMeant, forgotten] = [null, forgotten + 1];
      answer.resume();
      void meanwhile().finally(() => request.socket.destroy());
    });
    forward.on('error', () => request.socket.destroy());
    request.on('data', (chunk: Buffer) => body.push(chunk)).pipe(forward);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forgetNext: (...next) => void ([isMeant, meanwhile] = next),
    forgotten: () => forgotten,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
