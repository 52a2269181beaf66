import type { Tool } from '@modelcontextprotocol/server';

export const waitToolName = 'wait_for_run';

/** The tool that waits for a run which a call has left open. */
export const waitTool: Tool = {
  name: waitToolName,
  description:
    'Waits for a run that a call has started and that has not ended, and gives what its procedure gives. Starts nothing: it may be called as often as needed.',
  inputSchema: {
    type: 'object',
    properties: { run_id: { type: 'string', description: 'As a call has named it' } },
    required: ['run_id'],
  },
  annotations: { readOnlyHint: true },
};
