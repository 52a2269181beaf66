import { globSync } from 'node:fs';

/**
 * What the site has, in the order of its sidebar. A page is a Markdown file of the repository, named by its path. `folder/*` stands for all
 * pages of a folder that the outline doesn't name elsewhere; a page that is in none of the groups fails the build.
 * @typedef {object} Group
 * @property {string} label
 * @property {string[]} pages
 * @property {boolean} [collapsed]
 */

/** @type {Group[]} */
const outline = [
  { label: 'Start', pages: ['docs/start.md', 'docs/playground.md', 'docs/recipes.md', 'docs/glossary.md'] },
  { label: 'Guide', pages: ['docs/guide/README.md', 'docs/guide/*'] },
  {
    label: 'Concepts',
    pages: ['docs/architecture.md', 'docs/trust.md', 'docs/what-is-compared.md', 'docs/values.md'],
  },
  {
    label: 'People',
    pages: ['docs/people.md', 'docs/page.md', 'docs/links.md', 'docs/channels.md', 'docs/authority.md'],
  },
  {
    label: 'Models and tools',
    pages: [
      ...['docs/models.md', 'docs/tools.md', 'docs/code-mode.md', 'docs/prediction-models.md'],
      ...['docs/retrieval.md', 'docs/data-files.md', 'docs/streaming.md', 'docs/steering.md'],
      ...['docs/other-agents.md', 'docs/mcp-server.md'],
    ],
  },
  {
    label: 'Runs',
    pages: [
      ...['docs/testing.md', 'docs/retries.md', 'docs/budgets.md', 'docs/visibility.md', 'docs/pausing.md'],
      ...['docs/holds.md', 'docs/dead-letters.md', 'docs/published-procedures.md', 'docs/backtest.md'],
      ...['docs/scores.md', 'docs/import-and-export.md'],
    ],
  },
  {
    label: 'Operations',
    pages: [
      'docs/production/README.md',
      'docs/production/first-hour.md',
      'docs/production/*',
      'docs/payload-codecs.md',
      'docs/storage.md',
    ],
  },
  {
    label: 'Reference',
    pages: [
      ...[
        'docs/language.md',
        'docs/validation.md',
        'docs/command-line.md',
        'commands',
        'docs/configuration.md',
      ],
      ...['docs/http-api.md', 'docs/package.md', 'docs/runtime-api.md', 'docs/typescript-graphs.md'],
      ...['docs/python.md', 'docs/tactus-control.md', 'docs/compatibility.md'],
    ],
  },
  { label: 'TypeScript', collapsed: true, pages: ['docs/reference/README.md', 'docs/reference/*'] },
  { label: 'Errors', collapsed: true, pages: ['docs/errors/*'] },
  { label: 'Coming from …', pages: ['docs/comparison.md', 'docs/coming-from/*'] },
  { label: 'Examples', collapsed: true, pages: ['examples/*'] },
  {
    label: 'The project',
    collapsed: true,
    pages: [
      ...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md', 'contributing/*'],
      ...['docs/requirements.md', 'docs/upstream.md'],
    ],
  },
  { label: 'Decisions', collapsed: true, pages: ['docs/decisions/*'] },
];

/**
 * @typedef {object} Page
 * @property {string} path in the repository; of a page that the build makes, its name
 * @property {string} place on the site: its path without slashes around it
 */

/**
 * The groups with their pages.
 * @param {string} root of the repository
 * @returns {{ label: string, collapsed: boolean, pages: Page[] }[]}
 * @throws Error naming the pages of `docs/` that are in no group
 */
export function readOutline(root) {
  const byName = new Set(outline.flatMap(({ pages }) => pages));
  /** @param {string[]} patterns */
  const glob = (patterns) => globSync(patterns, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  /** @param {string} named @returns {Page[]} */
  const pagesOf = (named) => {
    const paths = named.endsWith('/*')
      ? glob([`${named}.md`, `${named}/README.md`, `${named}.tac`]).filter((path) => !byName.has(path))
      : [named];
    return paths.sort().map((path) => ({ path, place: placeOf(path) }));
  };
  const groups = outline.map(({ label, collapsed = false, pages }) => ({
    ...{ label, collapsed, pages: pages.flatMap(pagesOf) },
  }));
  const known = new Set(groups.flatMap(({ pages }) => pages.map(({ path }) => path)));
  const missing = glob(['docs/**/*.md']).filter((path) => !known.has(path));
  if (missing.length > 0) throw new Error(`site/outline.mjs has no place for ${missing.join(', ')}`);
  return groups;
}

/** @param {string} path */
function placeOf(path) {
  const place = path.replace(/^docs\//, '').replace(/\.(?:md|tac)$/, '');
  // A place that ends with `index` would be that of its folder.
  return place
    .replace(/\/README$/, '')
    .replace(/\/index$/, '/main')
    .toLowerCase();
}
