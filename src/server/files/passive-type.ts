/** Types of which a browser shows, plays or saves the content, and runs nothing. */
const families = /^(audio|video|image|font|model)\/(?!svg)[\w.+-]+$/;
const documents =
  /^application\/(pdf|json|zip|gzip|x-(tar|7z-compressed|ndjson|parquet)|rtf|msword|vnd\.[\w.-]+)$/;
const texts = /^text\/(plain|csv|tab-separated-values|markdown|calendar)$/;
export const unknownType = 'application/octet-stream';

/**
 * The media type of a file that somebody hands in, as far as it is kept and told to browsers. What a browser would run as a
 * script, a style or a page has none: files are read from the origin of the page, which trusts its own scripts.
 */
export function passiveType(header: string | undefined): string {
  const type = (header?.split(';')[0] ?? '').trim().toLowerCase();
  const isPassive = type.length <= 100 && [families, documents, texts].some((known) => known.test(type));
  return isPassive && !type.endsWith('+xml') ? type : unknownType;
}
