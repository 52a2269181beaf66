import type { Tool } from '@modelcontextprotocol/client';
import { digestOf } from '../../../contract/effects/digest.js';
import type { JsonValue } from '../../../contract/json/json.js';
import type { ToolVersion } from '../../../contract/tools/outside-tool.js';

/** What of a tool a run was told: what it takes, and what a model reads of it, apart from each other. */
export function versionOf({ name, description = '', inputSchema, annotations }: Tool): ToolVersion {
  return {
    arguments: digestOf([name, withoutTexts(inputSchema as JsonValue)]),
    text: digestOf([description, inputSchema as JsonValue, (annotations ?? null) as JsonValue]),
  };
}

/** A schema's own descriptions are text, too. */
function withoutTexts(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutTexts);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => typeof value !== 'string' || !['description', 'title'].includes(key))
      .map(([key, value]) => [key, withoutTexts(value)]),
  );
}
