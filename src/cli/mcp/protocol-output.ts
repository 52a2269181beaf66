import { Writable } from 'node:stream';

/**
 * stdout for a protocol alone: whatever else is written to it from now on, by a tool of the worker's or a library, goes to
 * stderr.
 */
export function protocolOutput(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, encoding, done) => {
      write(chunk, encoding, done);
    },
  });
}
