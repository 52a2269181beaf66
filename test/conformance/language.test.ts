import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { differences, type Aspect } from './differences.js';
import { casesFolder, languageCases } from './recorded-case.js';
import { runCommand } from './run-command.js';

interface Exclusion {
  case: string;
  run: number;
  differs: Aspect[];
  reason: string;
}

const exclusions = JSON.parse(
  await readFile(new URL('exclusions.json', import.meta.url), 'utf8'),
) as Exclusion[];
const cases = await languageCases();
const runs = cases.flatMap(({ name, runs: recorded }) =>
  recorded.map((run, i) => ({ name, i, recorded: run })),
);

let server: TestServer;
let worker: TestWorker;

beforeAll(async () => {
  server = await startDevServer();
  worker = await startWorker(server, { activities: { filesRoot: await mkdtemp(join(tmpdir(), 'cases-')) } });
  const excluded = exclusions.map(
    ({ case: name, run, differs, reason }) => `  ${name} #${run} ${differs.join(', ')}: ${reason}`,
  );
  console.log(`Cases that differ from the reference:\n${excluded.join('\n')}`);
});

afterAll(async () => {
  await worker.stop();
  await server.stop();
});

describe('the language behaves as the reference recorded it', () => {
  it.each(runs)('$name #$i', async ({ name, i, recorded }) => {
    const view = await runCommand({
      address: server.env.address,
      folder: casesFolder,
      entry: `${name}.tac`,
      input: recorded.input,
      answers: Array.isArray(recorded.hitl_answers) ? recorded.hitl_answers : [],
    });
    // What was refused at the edge never became a run.
    const log =
      view.run_id === undefined ? [] : (await server.tactus.attach(view.run_id).log()).execution_log;
    const found = differences(
      recorded,
      { ...view, printed: view.printed ?? [], state: view.state ?? {} },
      log,
    );
    const excluded = exclusions.find((each) => each.case === name && each.run === i);
    const told = [...found].map(([aspect, sides]) => `${aspect}: ${sides}`).join('\n');
    expect([...found.keys()].sort(), `${told}\n${JSON.stringify(view.error)}`).toEqual(
      [...(excluded?.differs ?? [])].sort(),
    );
  });
});
