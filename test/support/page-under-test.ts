import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { JsonValue } from '../../src/contract/json/json.js';
import { MemoryStreams } from '../../src/streams/memory-streams.js';
import type { ApiServer } from './api-server.js';
import { openBrowser } from './browser.js';
import { pendingOf } from './pending-of.js';
import { servePage, sitDown, type Person } from './served-page.js';
import { serverWithWorker } from './server-with-worker.js';
import { temporaryFolder } from './temporary-folder.js';
import { startDevServer, type TestServer } from './test-server.js';

/** The page of a real server, with Ann before it, for all tests of a file. */
export interface PageUnderTest {
  server: TestServer;
  streams: MemoryStreams;
  folder: string;
  browser: Browser;
  /** May be replaced by one that takes its place. */
  api: ApiServer;
  ann: Person;
  /** Starts a run of this body, and waits until it asks; `name` is that of its procedure. Where the request is shown. */
  ask(run: string, body: string, name?: string): Promise<string>;
  answerOf(run: string): Promise<JsonValue>;
  /** Until a person is told that the decision counts. */
  accepted(person: Person): Promise<void>;
}

export function pageUnderTest(): PageUnderTest {
  const server = serverWithWorker(startDevServer);
  const streams = new MemoryStreams();
  const page = {
    server,
    streams,
    ask: async (run: string, body: string, name = run) => {
      const entry = `${name}.tac`;
      const source = { entry, files: { [entry]: `Procedure { function()\n${body}\nend }` } };
      await server.tactus.start(source, {}, { runId: run });
      const [request] = await pendingOf(server.tactus.attach(run));
      return `/requests/${encodeURIComponent(request?.id ?? '')}`;
    },
    answerOf: (run: string) => server.tactus.attach(run).result(),
    accepted: (person: Person) => person.page.getByText(/^Your decision was accepted\./).waitFor(),
  } as PageUnderTest;
  beforeAll(async () => {
    page.folder = temporaryFolder('page');
    [page.api, page.browser] = await Promise.all([
      servePage(server.tactus, page.folder, { streams }),
      openBrowser(),
    ]);
    page.ann = await sitDown(page.browser, () => page.api.url, 'ann');
  });
  afterAll(async () => {
    await page.browser?.close();
    await page.api?.close();
    expect(page.ann?.troubles ?? []).toEqual([]);
  });
  return page;
}
