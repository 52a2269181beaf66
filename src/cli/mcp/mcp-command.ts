import { Command } from 'commander';
import { Transform, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import {
  aborted,
  act,
  exitCodes,
  interruption,
  readDuration,
  TactusError,
  type ExitCode,
  type Screen,
} from '../command.js';
import type { McpServer } from '@modelcontextprotocol/server';
import { offeredProcedures, SessionOnDemand } from './procedure-calls.js';
import { exactText } from '../../contract/json/json.js';

interface McpFlags {
  as?: string;
  wait: string;
  docs?: boolean;
}

/** `mcp FILE…`: procedures as tools of an MCP server over stdio, and what they ask of people as its forms and resources. `mcp --docs`: the documents. */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description('offer procedures as tools to an MCP client, over stdin and stdout')
    .argument('[file...]', 'the procedures: .tac files')
    .option('--docs', 'offer the documents of this version instead, to search and to read')
    .option('--as <who>', "who decides what the client's user answers; else your account")
    .option(
      '--wait <duration>',
      'how long a call waits for its run before it says that the run goes on',
      '50s',
    )
    .action(
      act(async (context, { as, wait, docs = false }: McpFlags, files: string[]) => {
        const { screen, options } = context;
        if (docs === files.length > 0)
          throw new TactusError('usage', 'mcp needs the files of procedures, or --docs alone');
        if (docs) return serveDocs(screen);
        const waitMs = readDuration(wait, '--wait');
        const output = protocolOutput();
        const procedures = await offeredProcedures(files, options, screen);
        const { serverFactory } = await import('./create-server.js');
        const sessions = new SessionOnDemand(context);
        const who = as === undefined ? {} : { as };
        const factory = serverFactory(procedures, sessions, screen, { ...options, ...who, waitMs });
        await untilClosed(factory, output, screen).finally(() => sessions.close());
        return exitCodes.done;
      }),
    );
}

async function serveDocs(screen: Screen): Promise<ExitCode> {
  const output = protocolOutput();
  const { DocsIndex } = await import('./docs-index.js');
  const { docsServer } = await import('./docs-server.js');
  const index = await DocsIndex.open();
  await untilClosed(() => docsServer(index), output, screen);
  return exitCodes.done;
}

/** Serves until the client closes stdin, or the command is interrupted. */
async function untilClosed(factory: () => McpServer, output: Writable, screen: Screen): Promise<void> {
  // Half a second of loading, which other commands do without.
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const { signal, dispose } = interruption();
  const server = serveStdio(factory, {
    transport: new StdioServerTransport(process.stdin.pipe(exactLines()), output),
    onerror: (error) => screen.note(`MCP: ${error.message}`),
  });
  try {
    const closed = new Promise<void>((done) => process.stdin.once('end', done).once('close', done));
    await Promise.race([closed, aborted(signal)]);
  } finally {
    dispose();
    await server.close();
  }
}

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

/**
 * stdout for a protocol alone: whatever else is written to it from now on, by a tool of the worker's or a library, goes to
 * stderr.
 */
function protocolOutput(): Writable {
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
