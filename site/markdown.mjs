/** Pure functions on the Markdown of a page: its title, its first paragraph, and its links. */

/**
 * @typedef {object} PageText
 * @property {string} title of the first heading, as text
 * @property {string} description the first sentence of the first paragraph; '': there is none
 * @property {string} body what follows the heading
 */

/** @param {string} markdown @param {string} path for errors @returns {PageText} */
export function readPage(markdown, path) {
  const heading = /^# (.+)\n/m.exec(markdown);
  if (heading === null) throw new Error(`${path} has no heading of the first level`);
  const body = markdown.slice(heading.index + heading[0].length).trimStart();
  return { title: plain(heading[1] ?? ''), description: firstSentence(body), body };
}

/** @param {string} markdown in one line @returns {string} without links and marks */
function plain(markdown) {
  return markdown.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}

/** @param {string} body */
function firstSentence(body) {
  const paragraph = body.split(/\n{2,}/).find((text) => /^(?!```)[\p{Letter}\d`[*]/u.test(text)) ?? '';
  const text = plain(paragraph.replaceAll('\n', ' '));
  return /^.+?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text;
}

/**
 * Replaces drawings by pictures.
 * @param {string} markdown
 * @param {(mermaid: string) => string} draw gives SVG
 */
export function replaceDrawings(markdown, draw) {
  return markdown.replace(/^```mermaid\n(.*?)^```$/gms, (_, text) => {
    // Markdown would end the picture at an empty line.
    const svg = draw(text).replace(/\n\s*\n/g, '\n');
    return `<figure class="drawing" tabindex="0" aria-label="Drawing">${svg}</figure>`;
  });
}

const fenced = /^(`{3,}|~{3,}).*?^\1[ \t]*$/gms;

/**
 * Replaces the targets of links and images, and leaves code as it is.
 * @param {string} markdown
 * @param {(target: string) => string | null} replace of what isn't on the web; null: the text stays, without a link
 */
export function replaceLinks(markdown, replace) {
  let done = '';
  let from = 0;
  for (const { index, 0: block } of markdown.matchAll(fenced)) {
    done += inProse(markdown.slice(from, index), replace) + block;
    from = index + block.length;
  }
  return done + inProse(markdown.slice(from), replace);
}

// A text between backticks stays as it is, unless it is the text of a link.
const linkOrCode = /(!?)\[((?:`[^`\n]*`|[^\]`])*)\]\(([^)\s]+)\)|(`+)(?:[^`\n]|\n(?!\n))+\4/g;

/** @param {string} prose @param {(target: string) => string | null} replace */
function inProse(prose, replace) {
  return prose.replace(linkOrCode, (whole, image, text, target) => {
    if (target === undefined || /^(?:[a-z]+:|#)/.test(target)) return whole;
    const replaced = replace(target);
    return replaced === null ? text : `${image}[${text}](${replaced})`;
  });
}
