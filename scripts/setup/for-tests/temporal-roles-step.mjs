import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cacheFolder } from '../cache-folder.mjs';
import { keptFolder } from '../kept-folder.mjs';
import { pinnedArtefact } from '../pinned-artefact.mjs';
import { thisPlatform } from '../platform-name.mjs';
import { runCommand, whyItFailed } from '../run-command.mjs';
import { SetUpError } from '../set-up-error.mjs';

const programs = { server: 'cmd/server', sql: 'cmd/tools/sql' };
/** Where Go's own archive is unpacked to, for those who don't have it on PATH. */
const usualFolder = '/usr/local/go/bin';

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
    async fill(draft) {
      const go = goProgram();
      const scratch = join(draft, 'scratch');
      const env = {
        ...process.env,
        ...{ GOPATH: join(scratch, 'path'), GOCACHE: join(scratch, 'cache'), GOBIN: draft },
        // What is only read could not be removed.
        ...{ GOFLAGS: '-modcacherw -trimpath', CGO_ENABLED: '0', GOTOOLCHAIN: 'auto' },
      };
      /** @type {(...args: string[]) => Promise<string>} */
      const run = async (...args) => {
        const result = await runCommand(go, args, { timeoutMs: 1_200_000, cwd: draft, env });
        if (result.code === 0) return result.stdout;
        throw new SetUpError(
          `go ${args[0]} failed: ${whyItFailed(result)}`,
          'Go 1.21 or newer has to reach its module proxy.',
        );
      };
      const { Dir: source, Sum: found } = JSON.parse(await run('mod', 'download', '-json', module));
      if (found !== sum) throw new SetUpError(`${module} has the sum ${found}, not ${sum}`, 'Try again.');
      const [name, at] = module.split('@');
      const packages = Object.values(programs).map((path) => `${name}/${path}@${at}`);
      await run('install', '-ldflags=-s -w', ...packages);
      await cp(join(source, 'schema'), join(draft, 'schema'), { recursive: true });
      await rm(scratch, { recursive: true });
    },
  });
  return { path: folder, detail: `${version}, built by Go`, made };
}

function goProgram() {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), usualFolder];
  const found = folders.map((folder) => join(folder, 'go')).find((path) => existsSync(path));
  if (found === undefined) throw new SetUpError('there is no Go here', 'Install Go 1.21 or newer.');
  return found;
}
