import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate';
import { isObject, type JsonValue } from '../../contract/json/json.js';

/** What a link shares: a file, its input as JSON, and the script of the model. */
export interface Draft {
  text: string;
  input: string;
  script: string;
}

const prefix = '#code=';
/** A link that is longer is refused: it would unpack to more than anybody writes. */
const longest = 200_000;
const mostBytes = 1_000_000;

export function isDraft(given: unknown): given is Draft {
  if (!isObject(given as JsonValue)) return false;
  const { text, input, script } = given as Record<string, unknown>;
  return [text, input, script].every((each) => typeof each === 'string');
}

/** The part of a link after its address. */
export function linkOf(draft: Draft): string {
  const packed = deflateSync(strToU8(JSON.stringify(draft)), { level: 9 });
  const base64 = btoa(String.fromCharCode(...packed));
  return prefix + base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @returns null where the link shares nothing, or nothing that can be read */
export function draftOf(hash: string): Draft | null {
  if (!hash.startsWith(prefix) || hash.length > longest) return null;
  try {
    const base64 = hash.slice(prefix.length).replaceAll('-', '+').replaceAll('_', '/');
    const packed = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
    const json = strFromU8(inflateSync(packed, { out: new Uint8Array(mostBytes) }));
    const draft = JSON.parse(json) as JsonValue;
    return isDraft(draft) ? draft : null;
  } catch {
    return null;
  }
}
