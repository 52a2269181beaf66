/**
 * `node scripts/release.mjs TAG [FILE]`: refuses a tag whose version the project's files don't agree on, and writes what the change log says of it
 * into a file. `.github/workflows/release.yml` runs it before anything is published.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseFaults, releaseNotes } from './release/release-notes.mjs';
import { projectFolder } from './setup/project-folder.mjs';

const [tag = '', notesFile] = process.argv.slice(2);
/** @param {string} name */
const read = (name) => readFileSync(join(projectFolder, name), 'utf8');
const changelog = read('CHANGELOG.md');
const faults = releaseFaults(tag, {
  ...{ packageJson: read('package.json'), pyproject: read('python/pyproject.toml'), changelog },
  chart: read('deploy/helm/tactus-temporal/Chart.yaml'),
  bundles: readdirSync(join(projectFolder, 'test/replay/bundles')),
  figures: read('bench/figures.json'),
});
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else if (notesFile !== undefined) writeFileSync(notesFile, `${releaseNotes(tag.slice(1), changelog)}\n`);
