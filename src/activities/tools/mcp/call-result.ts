import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { JsonValue } from '../../../contract/json.js';
import { ToolFailed } from '../tool-failed.js';

/**
 * What a server's tool gave: its structured content where it has some, its text where that is all, else a list of its parts.
 * Pictures and sounds are told without their data, which no history has room for.
 * @throws ToolFailed where the tool says that it failed
 */
export function callResult({ content, structuredContent, isError }: CallToolResult): JsonValue {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  if (isError === true) throw new ToolFailed(texts.join('\n') || 'the tool failed, and says no more');
  if (structuredContent !== undefined) return structuredContent as JsonValue;
  return texts.length === content.length ? texts.join('\n') : content.map(partOf);
}

function partOf(block: ContentBlock): JsonValue {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { type: block.type, mime_type: block.mimeType, bytes: Math.floor((block.data.length * 3) / 4) };
    case 'resource_link':
      return { type: 'resource_link', uri: block.uri, name: block.name };
    case 'resource':
      return {
        type: 'resource',
        uri: block.resource.uri,
        ...('text' in block.resource ? { text: block.resource.text } : {}),
      };
    default:
      return { type: 'unknown' };
  }
}
