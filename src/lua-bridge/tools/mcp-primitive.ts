import { literal, lua, pushHandle, type Bridge, type HandleType } from '../kernel/index.js';
import { declaredTools, newTool, type ToolDeclaration } from './tool-declaration.js';
import { placeOfTool } from './tool-source.js';
import { visibleName } from '../../contract/tools/outside-tool.js';

/** `mcp.server.tool`: a tool of an MCP server, as `Tool {use = "mcp.server.tool"}` declares it. */
export function openMcp(bridge: Bridge, toolType: HandleType): void {
  const server: HandleType = {
    name: 'mcp server',
    index: (L, held, key) => {
      const source = `mcp.${String(held)}.${key}`;
      const isPlain = bridge.holds('mcp-names');
      const name = isPlain ? visibleName(source) : `${String(held)}_${key}`;
      const known = declaredTools
        .of(bridge)
        .find((each) => each.owner === null && (isPlain ? each.source === source : each.name === name));
      pushHandle(L, toolType, known ?? declare(bridge, name, source));
      return 1;
    },
  };
  const servers: HandleType = {
    name: 'mcp',
    index: (L, _held, key) => {
      pushHandle(L, server, key);
      return 1;
    },
  };
  pushHandle(bridge.L, servers, null);
  lua.lua_setglobal(bridge.L, literal('mcp'));
}

function declare(bridge: Bridge, name: string, source: string): ToolDeclaration {
  const tool = newTool(name, placeOfTool(bridge, source));
  declaredTools.add(bridge, tool);
  return tool;
}
