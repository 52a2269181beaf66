import { readFileSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { timed } from './compare.ts';
import { runIdOf, type Inbox } from './open-inbox.ts';

export interface InboxTimes {
  what: string;
  times: number[];
}

const questions = 200;
const views = 20;

/** Answers of the API, by HTTP with a token; with what they have, so that none is measured that is empty by mistake. */
async function get(inbox: Inbox, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${inbox.url}/api/v1/namespaces/default${path}`, {
    headers: { authorization: `Bearer ${inbox.token}` },
  });
  const body = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
  if ('source' in body && body['source'] !== 'index') throw new Error(`${path} didn't come from the index`);
  return body;
}

/** Each kind of question, asked one after another with words that differ. */
export async function* measureInbox(inbox: Inbox, runs: number): AsyncGenerator<InboxTimes> {
  const ask = (path: string): Promise<Record<string, unknown>> => get(inbox, path);
  await ask('/requests');
  const [middleOfRuns, middleOfRequests] = [
    await middle(ask, '/runs', 200),
    await middle(ask, '/requests', 500),
  ];
  const paths: Record<string, (i: number) => string> = {
    'runs, newest first': () => '/runs',
    'runs, a page in the middle': () => `/runs?after=${middleOfRuns}`,
    'runs of a status and a procedure': (i) => `/runs?status=waiting_for_human&procedure=p${i % 20}`,
    'runs that are open': () => '/runs?open=true',
    'runs by the beginning of their ids': (i) => `/runs?prefix=order-00${i % 10}`,
    'runs by a text': (i) => `/runs?q=${String((i * 37) % 1_000).padStart(3, '0')}`,
    'runs by a text that none has': () => '/runs?q=nowhere',
    'requests, oldest first': () => '/requests',
    'requests, a page in the middle': () => `/requests?after=${middleOfRequests}`,
    'requests that somebody may decide': (i) => `/requests?approver=person-${i % 50}`,
    'requests of a kind and a procedure': (i) => `/requests?kind=approval&procedure=p${i % 20}`,
    'requests by words': (i) => `/requests?q=order%20${i}`,
    'requests by words that none has': () => '/requests?q=nowhere',
    'requests of a run': (i) => `/requests?run=${runIdOf((i * 41) % runs)}`,
    'one request, which a worker has to replay': (i) =>
      `/requests/${encodeURIComponent(`${runIdOf((i * 41) % inbox.worked)}/0`)}`,
    'one request, which a worker has in memory': () => `/requests/${encodeURIComponent(`${runIdOf(7)}/0`)}`,
    'one run, which a worker has to replay': (i) => `/runs/${runIdOf((i * 43 + 5) % inbox.worked)}`,
    'one run, which a worker has in memory': () => `/runs/${runIdOf(7)}`,
    'the log of a run': () => `/runs/${runIdOf(7)}/log`,
  };
  for (const [what, pathOf] of Object.entries(paths))
    yield { what, times: await repeat(questions, (i) => ask(pathOf(i))) };
  const browser = await openBrowser();
  if (browser === null) return;
  try {
    const page = await signIn(browser, inbox);
    const rows = async (path: string): Promise<void> => {
      await page.goto(`${inbox.url}${path}`);
      await page.locator('.row').nth(49).waitFor();
    };
    yield { what: 'page: inbox, until its rows are there', times: await repeat(views, () => rows('/')) };
    yield { what: 'page: runs, until its rows are there', times: await repeat(views, () => rows('/runs')) };
    for (const what of ['requests, oldest first', 'runs, newest first'])
      yield {
        what: `${what}, while a page is open`,
        times: await repeat(questions, (i) => ask(paths[what]?.(i) ?? '')),
      };
  } finally {
    await browser.close();
  }
}

async function repeat(times: number, work: (i: number) => Promise<unknown>): Promise<number[]> {
  const measured: number[] = [];
  for (let i = 0; i < times; i++) measured.push(await timed(() => work(i)));
  return measured;
}

/** Where the page in the middle of a list begins. */
async function middle(
  ask: (path: string) => Promise<Record<string, unknown>>,
  list: string,
  limit: number,
): Promise<string> {
  let after = '';
  for (let pages = 0; pages < 10; pages++) {
    const { next } = await ask(`${list}?limit=${limit}${after === '' ? '' : `&after=${after}`}`);
    if (typeof next !== 'string') break;
    after = encodeURIComponent(next);
  }
  return after;
}

/** null where the set-up got no browser. */
async function openBrowser(): Promise<Browser | null> {
  const file = new URL('../../.toolchain/paths.json', import.meta.url);
  const { browser = null } = JSON.parse(readFileSync(file, 'utf8')) as {
    browser?: { executable: string; folder: string } | null;
  };
  if (browser === null) return null;
  const { executable, folder } = browser;
  return chromium.launch({
    executablePath: executable,
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu'],
    env: {
      ...(process.env as Record<string, string>),
      ...{ LD_LIBRARY_PATH: `${folder}/lib`, FONTCONFIG_PATH: folder, XDG_CACHE_HOME: folder },
    },
  });
}

async function signIn(browser: Browser, { url, token }: Inbox): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await page.goto(url);
  await page.locator('input').first().fill(token);
  await page.keyboard.press('Enter');
  await page.locator('.row').first().waitFor();
  return page;
}
