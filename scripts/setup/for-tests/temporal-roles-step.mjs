import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../cache-folder.mjs';
import { keptFolder } from '../kept-folder.mjs';
import { pinnedArtefact } from '../pinned-artefact.mjs';
import { thisPlatform } from '../platform-name.mjs';
import { SetUpError } from '../set-up-error.mjs';
import { withGo } from './go-programs.mjs';

const programs = { server: 'cmd/server', sql: 'cmd/tools/sql' };

/**
 * Temporal's server as a cluster runs it, its tool for databases and its schema, built by the Go of this machine: it is published as source alone.
 * It is the version of docker-compose.yml. Takes some minutes and 1.5 GB, most of which is removed again.
 */
export async function temporalRolesStep() {
  const platform = thisPlatform();
  const { go: module = '', sum = '' } = pinnedArtefact('temporal-server', platform);
  const version = module.split('@v').pop();
  const folder = join(cacheFolder(), `temporal-server-${version}-${platform}`);
  const made = await keptFolder(folder, {
    key: sum,
    files: Object.keys(programs),
    fill: (draft) =>
      withGo(draft, async (run) => {
        const { Dir: source, Sum: found } = JSON.parse(await run('go', 'mod', 'download', '-json', module));
        if (found !== sum) throw new SetUpError(`${module} has the sum ${found}, not ${sum}`, 'Try again.');
        const [name, at] = module.split('@');
        const packages = Object.values(programs).map((path) => `${name}/${path}@${at}`);
        await run('go', 'install', '-ldflags=-s -w', ...packages);
        await cp(join(source, 'schema'), join(draft, 'schema'), { recursive: true });
      }),
  });
  return { path: folder, detail: `${version}, built by Go`, made };
}
