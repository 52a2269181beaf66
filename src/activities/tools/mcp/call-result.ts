import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { JsonValue } from '../../../contract/json/json.js';
import { ToolFailed } from '../tool-failed.js';

/**
 * What a server's tool gave: its structured content where it has some, its text where that is all, else a list of its parts.
 * Pictures and sounds are told without their data, which no history has room for.
 * @throws ToolFailed where the tool says that it failed
 */
export function callResult({ content, structuredContent, isError }: CallToolResult): JsonValue {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  if (isError === true) throw new ToolFailed(reasonIn(texts, structuredContent));
  if (structuredContent !== undefined) return structuredContent as JsonValue;
  return texts.length === content.length ? texts.join('\n') : content.map(partOf);
}

/** Its own words, else what it gave in their place. */
function reasonIn(texts: readonly string[], structured: CallToolResult['structuredContent']): string {
  const said = texts.join('\n').trim();
  if (said !== '') return said;
  return Object.keys(structured ?? {}).length === 0
    ? 'the tool failed, and says no more'
    : JSON.stringify(structured);
}

/** Of what is written as Base64, with its padding or without. */
function bytesOf(data: string): number {
  return Buffer.from(data, 'base64').length;
}

function partOf(block: ContentBlock): JsonValue {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { type: block.type, mime_type: block.mimeType, bytes: bytesOf(block.data) };
    case 'resource_link':
      return { type: 'resource_link', uri: block.uri, name: block.name };
    case 'resource':
      return {
        type: 'resource',
        uri: block.resource.uri,
        ...(block.resource.mimeType === undefined ? {} : { mime_type: block.resource.mimeType }),
        ...('text' in block.resource
          ? { text: block.resource.text }
          : { bytes: bytesOf(block.resource.blob) }),
      };
    default:
      return { type: 'unknown' };
  }
}
