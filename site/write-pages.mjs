/**
 * Writes what Astro builds the site of, anew and in folders that git ignores: each page of the outline with its title and with links as the
 * site has them, the same page as plain Markdown, `llms.txt`, the playground, and the OpenAPI document.
 */
import { renderMermaidSVG } from 'beautiful-mermaid';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandsPage } from './commands-page.mjs';
import { readPage, replaceDrawings, replaceLinks } from './markdown.mjs';
import { readOutline } from './outline.mjs';

const site = fileURLToPath(new URL('.', import.meta.url));
const root = join(site, '..');
/** What a link may lead to that isn't a page: it is published as it is. */
const publishedFiles = ['examples/', 'types/', 'docs/images/', 'LICENSE'];

/**
 * @param {string} base path of the site on its host, with slashes around it
 * @returns {{ pages: number }}
 */
export function writePages(base) {
  const content = join(site, 'src', 'content', 'docs');
  const files = join(site, 'public');
  for (const folder of [content, files]) rmSync(folder, { recursive: true, force: true });
  const groups = readOutline(root);
  const places = new Map(groups.flatMap(({ pages }) => pages.map(({ path, place }) => [path, place])));

  /** @param {string} from the page that has the link @param {(place: string) => string} address of a page */
  const linksOf = (from, address) => (/** @type {string} */ target) => {
    const [path = '', anchor] = target.split('#');
    const to = posix.join(posix.dirname(from), path).replace(/\/$/, '');
    const page = [to, `${to}/README.md`].map((each) => places.get(each)).find((each) => each !== undefined);
    if (page !== undefined) return `${address(page)}${anchor === undefined ? '' : `#${anchor}`}`;
    const isPublished = publishedFiles.some((each) => to.startsWith(each)) && existsSync(join(root, to));
    if (!isPublished) return null;
    cpSync(join(root, to), join(files, 'files', to), { recursive: true });
    return `${base}files/${to}`;
  };

  const lists = groups.map(({ label, pages }) => {
    const lines = pages.map(({ path, place }) => {
      const markdown = textOf(path);
      const { title, description, body } = readPage(markdown, path);
      const shown = replaceLinks(
        body,
        linksOf(path, (to) => `${base}${to}/`),
      );
      write(
        join(content, `${place}.md`),
        `${frontmatter({ title, description })}${replaceDrawings(shown, draw)}`,
      );
      const plain = replaceLinks(
        markdown,
        linksOf(path, (to) => `${base}${to}.md`),
      );
      write(join(files, `${place}.md`), plain);
      return `- [${title}](${base}${place}.md)${description === '' ? '' : `: ${description}`}`;
    });
    return `## ${label}\n\n${lines.join('\n')}\n`;
  });
  const first = readFileSync(join(site, 'first-page.md'), 'utf8');
  write(join(content, 'index.md'), first.replace(/(\]\(|src="|link: )\//g, `$1${base}`));
  const about = readPage(textOf('README.md'), 'README.md').body.split('\n\n')[0]?.replaceAll('\n', ' ');
  write(join(files, 'llms.txt'), `# tactus-temporal\n\n> ${about}\n\n${lists.join('\n')}`);
  write(join(files, 'openapi.json'), command('serve', 'openapi'));
  cpSync(join(root, 'dist', 'playground'), join(files, 'try'), { recursive: true });
  return { pages: places.size };
}

/** In the colours of the page, light and dark. @param {string} mermaid @returns {string} SVG */
function draw(mermaid) {
  const colours = {
    bg: 'var(--sl-color-bg)',
    fg: 'var(--sl-color-text)',
    accent: 'var(--sl-color-text-accent)',
  };
  return renderMermaidSVG(mermaid, { ...colours, font: 'inherit', transparent: true });
}

/** @param {string} path @returns {string} its Markdown */
function textOf(path) {
  if (path === 'commands') return commandsPage(JSON.parse(command('help', '--json')));
  const text = readFileSync(join(root, path), 'utf8');
  return path.endsWith('.tac') ? `# ${posix.basename(path)}\n\n\`\`\`lua\n${text}\`\`\`\n` : text;
}

/** @param {string[]} args @returns {string} what our command line prints */
function command(...args) {
  const file = join(root, 'bin', 'tactus-temporal.mjs');
  return execFileSync(process.execPath, [file, ...args], { encoding: 'utf8', maxBuffer: 20_000_000 });
}

/** @param {object} values */
function frontmatter(values) {
  const lines = Object.entries(values).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\n\n`;
}

/** @param {string} file @param {string} text */
function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
