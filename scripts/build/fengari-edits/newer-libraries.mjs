/** What the libraries do in Lua 5.5 otherwise than in Lua 5.3. */

/** @type {Record<string, import('../fengari-edits.mjs').Edit[]>} */
export const newerLibraries = {
  'lauxlib.js': [
    {
      find: 'module.exports.luaL_argcheck  ',
      replace: 'module.exports.luaL_typeerror = typeerror;\nmodule.exports.luaL_argcheck  ',
    },
  ],
  'lbaselib.js': [
    {
      find: '    luaL_argcheck(L, t === LUA_TNIL || t === LUA_TTABLE, 2, "nil or table expected");',
      replace: `    if (t !== LUA_TNIL && t !== LUA_TTABLE)
        require("./lauxlib.js").luaL_typeerror(L, 2, to_luastring("nil or table", true));`,
    },
    {
      find: '    luaL_argcheck(L, t === LUA_TTABLE || t === LUA_TSTRING, 1, "table or string expected");',
      replace: `    if (t !== LUA_TTABLE && t !== LUA_TSTRING)
        require("./lauxlib.js").luaL_typeerror(L, 1, to_luastring("table or string", true));`,
    },
  ],
  'ltablib.js': [
    {
      find: '1 <= pos && pos <= size + 1, 1, "position out of bounds"',
      replace: '1 <= pos && pos <= size + 1, 2, "position out of bounds"',
    },
    {
      find: 'const unpack = function(L) {\n',
      replace: 'const unpack = function(L) {\n    checktab(L, 1, TAB_R);\n',
    },
  ],
  'lstrlib.js': [
    {
      find: `    luaL_argcheck(L, tr === LUA_TNUMBER || tr === LUA_TSTRING || tr === LUA_TFUNCTION || tr === LUA_TTABLE, 3,
        "string/function/table expected");`,
      replace: `    if (tr !== LUA_TNUMBER && tr !== LUA_TSTRING && tr !== LUA_TFUNCTION && tr !== LUA_TTABLE)
        require("./lauxlib.js").luaL_typeerror(L, 3, to_luastring("string/function/table"));`,
    },
    {
      find: `malformed pattern (missing arguments to '%%b'"`,
      replace: `malformed pattern (missing arguments to '%%b')"`,
    },
    { find: '"strings contains zeros"', replace: '"string contains zeros"' },
    // A position capture is no text that could be matched again.
    {
      find: '    let len = ms.capture[l].len;\n',
      replace: '    let len = ms.capture[l].len;\n    if (len === CAP_POSITION) return null;\n',
    },
    // `gmatch` may start later in the string.
    {
      find: '    lua_settop(L, 2);  /* keep them on closure to avoid being collected */\n',
      replace: `    let init = luaL_optinteger(L, 3, 1);
    init = init > 0 ? init - 1 : init === 0 || -init > ls ? 0 : ls + init;
    lua_settop(L, 2);  /* keep them on closure to avoid being collected */
`,
    },
    { find: '    gm.src = 0;\n', replace: '    gm.src = init;\n' },
    {
      find: '                if (e === -1) e = data.length - pos;\n',
      replace: `                if (e === -1) luaL_argerror(L, 2, to_luastring("unfinished string for format 'z'"));\n`,
    },
  ],
  'lutf8lib.js': [
    {
      find: 'const limits = [0xFF, 0x7F, 0x7FF, 0xFFFF];',
      replace: 'const limits = [0xFF, 0x7F, 0x7FF, 0xFFFF, 0x1FFFFF, 0x3FFFFFF];',
    },
    {
      find: 'const utf8_decode = function(s, pos) {',
      replace:
        '/* Surrogates and what lies beyond Unicode are refused, unless the caller is lax. */\nconst utf8_decode = function(s, pos, lax) {',
    },
    {
      find: '        if (count > 3 || res > MAXUNICODE || res <= limits[count])',
      replace:
        '        if (count > 5 || res < 0 || res <= limits[count] || !lax && (res > MAXUNICODE || res >= 0xD800 && res <= 0xDFFF))',
    },
    {
      find: '0 <= code && code <= MAXUNICODE, arg, "value out of range"',
      replace: '0 <= code && code <= 0x7FFFFFFF, arg, "value out of range"',
    },
    { find: '"initial position out of string"', replace: '"initial position out of bounds"' },
    { find: '"final position out of string"', replace: '"final position out of bounds"' },
    { find: '"position out of range"', replace: '"position out of bounds"' },
    // `offset` gives where the character ends as well.
    {
      find: `    if (n === 0)  /* did it find given character? */
        lua_pushinteger(L, posi + 1);
    else  /* no such character */
        lua_pushnil(L);

    return 1;`,
      replace: `    if (n !== 0) {  /* no such character */
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, posi + 1);
    if (iscont(s[posi])) luaL_error(L, "initial position is a continuation byte");
    if (s[posi] & 0x80) while (iscont(s[posi + 1])) posi++;
    lua_pushinteger(L, posi + 1);
    return 2;`,
    },
    { find: ', "out of range"', replace: ', "out of bounds"', count: 2 },
    {
      find: '        let dec = utf8_decode(s, posi);\n        if (dec === null) {',
      replace: '        let dec = utf8_decode(s, posi, lax);\n        if (dec === null) {',
    },
    {
      find: '    luaL_argcheck(L, 1 <= posi && --posi <= len, 2,',
      replace: '    let lax = lua_toboolean(L, 4);\n    luaL_argcheck(L, 1 <= posi && --posi <= len, 2,',
    },
    {
      find: '        let dec = utf8_decode(s, posi);\n        if (dec === null)\n',
      replace: '        let dec = utf8_decode(s, posi, lax);\n        if (dec === null)\n',
    },
    {
      find: '    luaL_argcheck(L, posi >= 1, 2,',
      replace: '    let lax = lua_toboolean(L, 4);\n    luaL_argcheck(L, posi >= 1, 2,',
    },
    { find: 'utf8_decode(s, n);', replace: 'utf8_decode(s, n, lax);' },
    {
      find: 'const iter_aux = function(L) {\n',
      replace: 'const iter_aux = function(L, lax) {\n',
    },
    {
      find: 'const iter_codes = function(L) {\n    luaL_checkstring(L, 1);\n    lua_pushcfunction(L, iter_aux);',
      replace: `const iter_strict = function(L) { return iter_aux(L, false); };
const iter_lax = function(L) { return iter_aux(L, true); };

const iter_codes = function(L) {
    let lax = lua_toboolean(L, 2);
    luaL_argcheck(L, !iscont(luaL_checkstring(L, 1)[0]), 1, "invalid UTF-8 code");
    lua_pushcfunction(L, lax ? iter_lax : iter_strict);`,
    },
    { find: '127, 194, 45, 244, 93', replace: '127, 194, 45, 253, 93' },
    { find: '    lua_tointeger\n', replace: '    lua_toboolean,\n    lua_tointeger\n' },
  ],
};
