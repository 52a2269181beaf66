import {
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ForgetfulProxy, IsMeant } from './forgetful-proxy.js';

/** The same as for HTTP, over HTTP/2 as gRPC speaks it: a connection ends with the answer that gets lost. */
export async function startForgetfulGrpc(target: string): Promise<ForgetfulProxy> {
  let isMeant: IsMeant | null = null;
  let meanwhile = async (): Promise<unknown> => undefined;
  let forgotten = 0;
  const upstream = connect(target);
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    const { ':path': url = '', ':method': method = '' } = headers;
    const body: Buffer[] = [];
    const forward = upstream.request({ ...headers, ':authority': new URL(target).host });
    stream.on('data', (chunk: Buffer) => body.push(chunk)).pipe(forward);
    stream.on('error', () => forward.close());
    forward.on('error', () => stream.close());
    let trailers: IncomingHttpHeaders = {};
    forward.on('trailers', (told: IncomingHttpHeaders) => (trailers = told));
    forward.on('response', (answer, flags) => {
      if (isMeant?.({ url, method, headers }, Buffer.concat(body).toString('latin1')) === true) {
        [isMeant, forgotten] = [null, forgotten + 1];
        forward.resume();
        void meanwhile().finally(() => stream.session?.destroy());
        return;
      }
      if (stream.destroyed) return;
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0)
        return void stream.respond(answer, { endStream: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      stream.respond(answer, { waitForTrailers: true });
      forward.pipe(stream);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forgetNext: (...next) => void ([isMeant, meanwhile] = next),
    forgotten: () => forgotten,
    stop: () => {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      server.close();
    },
  };
}
