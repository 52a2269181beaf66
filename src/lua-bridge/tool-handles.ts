import type { HandleType } from './handle.js';

/** The handles by which Lua holds tools and toolsets. */
export interface ToolHandles {
  tool: HandleType;
  toolset: HandleType;
}
