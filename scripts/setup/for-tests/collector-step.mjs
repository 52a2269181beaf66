import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../cache-folder.mjs';
import { keptFolder } from '../kept-folder.mjs';
import { thisPlatform } from '../platform-name.mjs';
import { withGo } from './go-programs.mjs';

const file = new URL('collector.yml', import.meta.url);

/**
 * The OpenTelemetry collector, built by the Go of this machine from the parts that `deploy/collector/collector.yml` uses: no registry carries it. Its own
 * builder makes it, as collector.yml says; Go's checksum database vouches for its modules. Takes a minute or two.
 */
export async function collectorStep() {
  const parts = await readFile(file, 'utf8');
  const version = /^\s+version: (.+)$/m.exec(parts)?.[1] ?? '';
  const folder = join(cacheFolder(), `collector-${version}-${thisPlatform()}`);
  const made = await keptFolder(folder, {
    key: parts,
    files: ['otelcol'],
    fill: (draft) =>
      withGo(draft, async (run) => {
        await run('go', 'install', `go.opentelemetry.io/collector/cmd/builder@v${version}`);
        await writeFile(join(draft, 'parts.yml'), parts);
        await run('builder', '--config=parts.yml', '--ldflags=-s -w');
        await rename(join(draft, 'build', 'otelcol'), join(draft, 'otelcol'));
        await rm(join(draft, 'build'), { recursive: true });
        await rm(join(draft, 'builder'));
      }),
  });
  return { path: join(folder, 'otelcol'), detail: `${version}, built by Go`, made };
}
