import type { Duplex } from 'node:stream';

const tooLarge = 'HPE_HEADER_OVERFLOW';

/** Answers what is no HTTP, or has too long a path or headers, as all else is answered that is wrong. */
export function refuseMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || code === 'ECONNRESET') return void socket.destroy();
  const [status, reason, detail] =
    code === tooLarge
      ? [431, 'Request Header Fields Too Large', 'The path and the headers are too long']
      : [400, 'Bad Request', 'The request is no HTTP'];
  const problem = { type: 'urn:tactus:error:usage', title: 'usage', status, code: 'usage', detail };
  const body = JSON.stringify(problem);
  socket.end(
    [
      `HTTP/1.1 ${status} ${reason}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
