/** What stands between two lines `---` at the beginning of a text, and what follows. */
export interface Frontmatter {
  fields: Partial<Record<string, string>>;
  body: string;
}

/**
 * Reads the texts at the top level of a frontmatter: plain, quoted, folded (`>`) and literal (`|`). That is all that skills have
 * there which matters, and less than YAML, which is too large for a workflow.
 */
export function readFrontmatter(text: string): Frontmatter {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const end = lines[0]?.trim() === '---' ? lines.findIndex((line, i) => i > 0 && line.trim() === '---') : -1;
  if (end < 0) return { fields: {}, body: text.trim() };
  const fields: Partial<Record<string, string>> = {};
  for (let i = 1; i < end; i++) {
    const [, name, rest = ''] = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/.exec(lines[i] ?? '') ?? [];
    if (name === undefined) continue;
    const block: string[] = [];
    while (i + 1 < end && /^(\s+\S|\s*$)/.test(lines[i + 1] ?? '')) block.push((lines[++i] ?? '').trim());
    Object.defineProperty(fields, name, { value: valueOf(rest.trim(), block), enumerable: true });
  }
  return {
    fields,
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

function valueOf(text: string, block: readonly string[]): string {
  if (/^[>|][+-]?$/.test(text)) return block.join(text.startsWith('|') ? '\n' : ' ').trim();
  const whole = [text, ...block].join(' ').trim();
  const [, double] = /^"(.*)"$/s.exec(whole) ?? [];
  if (double !== undefined) return double.replace(/\\(["\\])/g, '$1');
  const [, single] = /^'(.*)'$/s.exec(whole) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  return whole.replace(/\s+#.*$/, '');
}
