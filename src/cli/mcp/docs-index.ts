import type MiniSearch from 'minisearch';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TactusError } from '../command.js';

/** A part of a document, from its heading to the next one. */
export interface DocSection {
  /** `docs/guide/05-people.md`. */
  page: string;
  heading: string;
  /** In Markdown, with its heading. */
  text: string;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** What describes the implementation, and nothing that an author writes. */
const leftOut = /^(decisions|images|reference)[\\/]|^requirements\.md$/;
/** Sections that one search gives. */
export const mostHits = 20;

/** The documents of this version, with a search over their sections. */
export class DocsIndex {
  private constructor(
    private readonly sections: readonly DocSection[],
    private readonly search: MiniSearch<DocSection & { id: number }>,
  ) {}

  /** Reads the documents of the package. */
  static async open(): Promise<DocsIndex> {
    // Loaded only here: most commands search nothing.
    const { default: Search } = await import('minisearch');
    const names = (await readdir(join(root, 'docs'), { recursive: true }))
      .filter((name) => name.endsWith('.md') && !leftOut.test(name))
      .map((name) => `docs/${name.replaceAll('\\', '/')}`)
      .sort();
    const pages = await Promise.all(
      ['README.md', ...names].map(async (page) => sectionsOf(page, await readFile(join(root, page), 'utf8'))),
    );
    const sections = pages.flat();
    const search = new Search<DocSection & { id: number }>({
      fields: ['heading', 'page', 'text'],
      searchOptions: { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: 0.1 },
    });
    search.addAll(sections.map((section, id) => ({ ...section, id })));
    return new DocsIndex(sections, search);
  }

  /** Names of all pages. */
  get pages(): string[] {
    return [...new Set(this.sections.map(({ page }) => page))];
  }

  /** The sections that fit a query best, the best first. */
  find(query: string, limit: number): DocSection[] {
    const hits = this.search.search(query).slice(0, Math.min(limit, mostHits));
    return hits.flatMap(({ id }) => this.sections[id as number] ?? []);
  }

  /**
   * A page, or one section of it with all below.
   * @throws TactusError usage where there is none
   */
  read(page: string, heading: string | null): string {
    const ofPage = this.sections.filter((each) => each.page === page);
    if (ofPage.length === 0) throw new TactusError('usage', `There is no page ${page}: search for one`);
    if (heading === null) return ofPage.map(({ text }) => text).join('\n');
    const first = ofPage.findIndex((each) => each.heading === heading);
    if (first < 0)
      throw new TactusError(
        'usage',
        `${page} has no heading ${JSON.stringify(heading)}. It has: ${ofPage.map((each) => each.heading).join(', ')}`,
      );
    const depth = depthOf(ofPage[first]);
    const next = ofPage.findIndex((each, i) => i > first && depthOf(each) <= depth);
    return ofPage
      .slice(first, next < 0 ? undefined : next)
      .map(({ text }) => text)
      .join('\n');
  }
}

function depthOf(section: DocSection | undefined): number {
  return /^#+/.exec(section?.text ?? '')?.[0].length ?? 0;
}

/** A line that begins with `#` within a block of code is no heading. */
function sectionsOf(page: string, text: string): DocSection[] {
  const sections: DocSection[] = [];
  let lines: string[] = [];
  let heading = page;
  let isCode = false;
  const close = (): void => {
    if (lines.some((line) => line.trim() !== ''))
      sections.push({ page, heading, text: `${lines.join('\n').trim()}\n` });
  };
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, title] = isCode ? [] : (/^#{1,6} +(.*)$/.exec(line) ?? []);
    if (title !== undefined) {
      close();
      lines = [];
      heading = title.replaceAll('`', '').trim();
    }
    lines.push(line);
  }
  close();
  return sections;
}
