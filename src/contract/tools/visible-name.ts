/** Providers take no longer names, and no other characters. */
const longestName = 64;

/** `files_read_file` of `mcp.files.read_file`, `charge` of `host.charge`: what a model calls a tool outside of the run. */
export function visibleName(source: string): string {
  const [, ...parts] = source.split('.');
  const name = parts.length === 0 ? source : parts.join('_');
  return name.replace(/[^\w-]/g, '_').slice(0, longestName);
}
