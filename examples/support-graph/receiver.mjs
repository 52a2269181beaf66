// Stands in for a service that sends texts. It knows the keys it had, so that a text that comes again is not sent again.
import { createServer } from 'node:http';

const port = Number(process.env.PORT ?? 4010);
const known = new Set();

createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const key = request.headers['idempotency-key'];
  console.log(known.has(key) ? `again ${key}` : `${key} ${body}`);
  known.add(key);
  response.end();
}).listen(port, '127.0.0.1', () => console.log(`Receives texts at http://127.0.0.1:${port}`));
