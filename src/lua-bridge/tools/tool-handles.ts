import type { HandleType } from '../vm/handle.js';

/** The handles by which Lua holds tools and toolsets. */
export interface ToolHandles {
  tool: HandleType;
  toolset: HandleType;
}
