import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { exactText } from '../../contract/json/read-json.js';

/** Messages of a protocol, one a line, whose integers past 2^53 become texts before a library parses and rounds them. */
export function exactLines(): Transform {
  const decoder = new StringDecoder('utf8');
  /** The parts of a line that hasn't ended. */
  let open: string[] = [];
  return new Transform({
    transform: (part: Buffer, _encoding, done) => {
      const [first = '', ...others] = decoder.write(part).split('\n');
      open.push(first);
      if (others.length === 0) return done();
      const lines = [open.join(''), ...others];
      open = [lines.pop() ?? ''];
      done(null, `${lines.map(exact).join('\n')}\n`);
    },
    flush: (done) => done(null, exact(open.join('') + decoder.end())),
  });
}

/** What is no JSON is refused where it is read. */
function exact(line: string): string {
  try {
    return exactText(line);
  } catch {
    return line;
  }
}
