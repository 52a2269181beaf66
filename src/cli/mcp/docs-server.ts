import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/server';
import { hasCode, ownVersion, TactusError } from '../command.js';
import { mostHits, type DocsIndex } from './docs-index.js';

const excerptLength = 700;
const usualHits = 5;
/** Characters of one answer: what is longer crowds out the conversation of whoever asks. */
const longest = 40_000;

const searchTool: Tool = {
  name: 'search_docs',
  description:
    'Searches the documents of tactus-temporal: the language, the command line, errors, recipes, operations',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'some words: a function, an error code, what you want to do' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: mostHits,
        description: `how many sections; ${usualHits} without it`,
      },
    },
    required: ['query'],
  },
};

const readTool: Tool = {
  name: 'read_doc',
  description: 'Reads a page of the documents, or one section of it, as Markdown',
  inputSchema: {
    type: 'object',
    properties: {
      page: { type: 'string', description: 'as search_docs names it: docs/guide/05-people.md' },
      heading: { type: 'string', description: 'of a section; without it the whole page' },
    },
    required: ['page'],
  },
};

/** An MCP server of the documents of this version. It starts nothing. */
export function docsServer(index: DocsIndex): McpServer {
  const mcp = new McpServer(
    { name: 'tactus-temporal-docs', version: ownVersion() },
    {
      capabilities: { tools: {} },
      instructions:
        'The documents of the installed version of tactus-temporal. Search before you write a procedure, and read the page of an error code.',
    },
  );
  mcp.server.setRequestHandler('tools/list', () => ({ tools: [searchTool, readTool] }));
  mcp.server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }) => {
    try {
      if (name === searchTool.name) return answer(found(index, given));
      if (name === readTool.name) return answer(read(index, given));
    } catch (error) {
      if (!hasCode(error, 'usage', 'input_invalid')) throw error;
      return { ...answer(error.message), isError: true };
    }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}`);
  });
  return mcp;
}

function answer(text: string): CallToolResult {
  const cut = text.length > longest ? `${text.slice(0, longest)}\n… Cut here: read one heading of it.` : text;
  return { content: [{ type: 'text', text: cut }] };
}

function found(index: DocsIndex, { query, limit = usualHits }: Record<string, unknown>): string {
  if (typeof query !== 'string' || query.trim() === '')
    throw new TactusError('input_invalid', 'search_docs needs query, a text');
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1)
    throw new TactusError('input_invalid', `limit must be a number from 1 to ${mostHits}`);
  const sections = index.find(query.slice(0, 1_000), limit);
  if (sections.length === 0) return `Nothing fits. Pages: ${index.pages.join(', ')}`;
  return sections
    .map(({ page, heading, text }) => `## ${page} · ${heading}\n\n${excerptOf(text)}`)
    .join('\n\n');
}

function excerptOf(text: string): string {
  return text.length > excerptLength ? `${text.slice(0, excerptLength)} …` : text;
}

function read(index: DocsIndex, { page, heading = null }: Record<string, unknown>): string {
  if (typeof page !== 'string') throw new TactusError('input_invalid', 'read_doc needs page, a text');
  if (heading !== null && typeof heading !== 'string')
    throw new TactusError('input_invalid', 'heading must be a text');
  return index.read(page, heading);
}
