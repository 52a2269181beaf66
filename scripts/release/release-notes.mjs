/**
 * What a tag releases: whether all files agree on its version, and what the change log says of it.
 * @typedef {object} ReleaseFiles
 * @property {string} packageJson
 * @property {string} pyproject of the package for Python, which the package brings
 * @property {string} chart Chart.yaml of the Helm chart
 * @property {string} changelog
 * @property {string[]} bundles names of the kept workflow bundles: one for each released version
 * @property {string} figures `bench/figures.json`
 */

/**
 * Finds what keeps a tag from being released.
 * @param {string} tag `v0.10.0`
 * @param {ReleaseFiles} files
 * @returns {string[]} one line for each fault; empty: it can be released
 */
export function releaseFaults(tag, { packageJson, pyproject, chart, changelog, bundles, figures }) {
  const { version, repository } = /** @type {{ version: string, repository?: unknown }} */ (
    JSON.parse(packageJson)
  );
  const faults = [];
  if (tag !== `v${version}`) faults.push(`the tag ${tag} is not v${version}, the version of package.json`);
  const others = [
    ['python/pyproject.toml', /^version = "(.*)"$/m.exec(pyproject)?.[1]],
    ['deploy/helm/tactus-temporal/Chart.yaml', /^version: (.*)$/m.exec(chart)?.[1]],
    ['appVersion of Chart.yaml', /^appVersion: "?([^"\n]*)"?$/m.exec(chart)?.[1]],
  ];
  for (const [file, found] of others)
    if (found !== version) faults.push(`${file} has the version ${found}, and package.json ${version}`);
  // npm compares it with the repository that the provenance names.
  if (repository === undefined)
    faults.push('package.json has no repository, which npm needs for the provenance');
  if (releaseNotes(version, changelog) === null)
    faults.push(`CHANGELOG.md has nothing under "## ${version}": move what is under Unreleased there`);
  if (releaseNotes('Unreleased', changelog) !== null)
    faults.push('CHANGELOG.md has changes under Unreleased, which would be released without a word');
  if (!bundles.includes(`${version}.js.br`))
    faults.push(
      `test/replay/bundles has no bundle of ${version}: KEEP_HISTORIES=1 npm test -- test/replay/keep adds it, and its histories`,
    );
  if (!Object.hasOwn(/** @type {object} */ (JSON.parse(figures)), version))
    faults.push(`bench/figures.json has no figures of ${version}: npm run bench -- main --keep ${version}`);
  return faults;
}

/**
 * What the change log has under a heading.
 * @param {string} heading
 * @param {string} changelog
 * @returns {string | null} null: nothing
 */
export function releaseNotes(heading, changelog) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((each) => each.split('\n')[0]?.trim() === heading);
  const text = section?.slice(section.indexOf('\n') + 1).trim() ?? '';
  return text === '' ? null : text;
}
