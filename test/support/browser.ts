import { readFileSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

interface BrowserPaths {
  executable: string;
  /** Of its libraries and fonts. */
  folder: string;
}

/** Where the set-up put headless Chromium; null where it could not be had. */
function browserPaths(): BrowserPaths | null {
  const file = new URL('../../.toolchain/paths.json', import.meta.url);
  const { browser } = JSON.parse(readFileSync(file, 'utf8')) as { browser?: BrowserPaths | null };
  return browser ?? null;
}

/** Whether pages can be looked at here. `BROWSER_TEST=required`, as in `.ci/run`: where they can't, the tests fail. */
export const hasBrowser = process.env['BROWSER_TEST'] === 'required' || browserPaths() !== null;

/**
 * @param flags further ones of Chromium's command line
 * @throws Error where the set-up got none
 */
export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  const paths = browserPaths();
  if (paths === null) throw new Error('There is no browser here: `npm test` fetches one for Linux on x64');
  const { executable, folder } = paths;
  return chromium.launch({
    executablePath: executable,
    // As root, as in containers, Chromium starts without its sandbox alone.
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', ...flags],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: `${folder}/lib`,
      FONTCONFIG_PATH: folder,
      XDG_CACHE_HOME: folder,
    },
  });
}
