import type { ToolSpec } from '../../contract/models/model-call.js';
import { toJsonSchema } from '../values/schema.js';
import type { NamedTool } from './toolset-declaration.js';

/** What the file says of a tool outside of the run goes before what the worker says. */
export function toolSpec({ name, tool, listed }: NamedTool): ToolSpec {
  const isTold = listed === null || Object.keys(tool.input).length > 0;
  return {
    name,
    description: tool.description || (listed?.description ?? ''),
    parameters: isTold ? toJsonSchema(tool.input) : listed.parameters,
  };
}
