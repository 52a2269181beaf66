import type { Part } from '@a2a-js/sdk';
import type { JsonValue } from '../../../../contract/json/json.js';

/** The texts of a message or a result, and its data: one alone as it is, several as a list, null where there is none. */
export interface PartsRead {
  text: string | null;
  data: JsonValue;
}

export function readParts(parts: readonly Part[]): PartsRead {
  const texts = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
  const data = parts.flatMap((part) => (part.content?.$case === 'text' ? [] : [valueOf(part)]));
  return {
    text: texts.length === 0 ? null : texts.join('\n'),
    data: data.length === 0 ? null : data.length === 1 ? (data[0] ?? null) : data,
  };
}

/** What an agent gave: its data where that is all, its text where that is all, else a list of its parts. */
export function valueOfParts(parts: readonly Part[]): JsonValue {
  const { text, data } = readParts(parts);
  if (data === null) return text;
  return text === null
    ? data
    : parts.map((part) => ({ type: part.content?.$case ?? 'unknown', value: valueOf(part) }));
}

/** Files are told without their bytes, which no history has room for. */
function valueOf({ content, filename, mediaType }: Part): JsonValue {
  switch (content?.$case) {
    case 'text':
      return content.value;
    case 'data':
      return (content.value ?? null) as JsonValue;
    case 'url':
      return { url: content.value, name: filename, mime_type: mediaType };
    case 'raw':
      return { bytes: content.value.length, name: filename, mime_type: mediaType };
    case undefined:
      return null;
  }
}

/** What is said to an agent: text, and data beside it. */
export function partsOf(text: string | null, data: JsonValue | undefined): Part[] {
  const whole = { metadata: undefined, filename: '' };
  return [
    ...(text === null
      ? []
      : [{ ...whole, content: { $case: 'text' as const, value: text }, mediaType: 'text/plain' }]),
    ...(data === undefined
      ? []
      : [{ ...whole, content: { $case: 'data' as const, value: data }, mediaType: 'application/json' }]),
  ];
}
