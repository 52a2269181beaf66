/** Library functions charge what they do, refuse what is too long, and leave out what must not be there. */

/** @type {Record<string, import('../fengari-edits.mjs').Edit[]>} */
export const libraries = {
  'lauxlib.js': [
    {
      find: '    let newend = B.n + sz;\n',
      replace: '    let newend = B.n + sz;\n    lstate.checkString(B.L, newend);\n',
    },
    {
      find: 'const luaL_prepbuffsize = function(B, sz) {',
      replace: 'const lstate = require("./lstate.js");\nconst luaL_prepbuffsize = function(B, sz) {',
    },
    {
      from: 'let luaL_loadfilex;',
      to: 'const luaL_loadfile = function',
      replace: 'const luaL_loadfilex = null;\n\n',
    },
    {
      from: 'const lua_writestringerror = function',
      to: 'const luaL_checkversion_ = ',
      replace: 'const lua_writestringerror = null;\n\n',
    },
  ],
  // Parsing is one uninterruptible step: what it searches for in lists is work.
  'lbaselib.js': [
    // What a procedure must not have is not there at all; 'print' is ours.
    { from: 'let lua_writestring;', to: 'const luaB_tostring = ', replace: '' },
    {
      find: '        lua_call(L, 1, 3);  /* get 3 values from metamethod */',
      replace: '        lua_callk(L, 1, 3, 0, () => 3);',
    },
    { find: '    "collectgarbage": luaB_collectgarbage,\n    "dofile":         luaB_dofile,\n', replace: '' },
    { find: '    "load":           luaB_load,\n    "loadfile":       luaB_loadfile,\n', replace: '' },
    { find: '    "print":          luaB_print,\n', replace: '' },
    {
      find: '        lua_pushboolean(L, 0);  /* first result (false) */',
      replace: '        L.l_G.fuel -= 4000;\n        lua_pushboolean(L, 0);  /* first result (false) */',
    },
    {
      find: '    if (luaL_getmetafield(L, 1, to_luastring("__metatable", true)) !== LUA_TNIL)',
      replace:
        '    if (L.stack[L.ci.funcOff + 1].value.sealed !== null || luaL_getmetafield(L, 1, to_luastring("__metatable", true)) !== LUA_TNIL)',
    },
  ],
  'lstrlib.js': [
    {
      find: '    if (ms.matchdepth-- === 0)',
      replace: '    lstate.work(ms.L, 4);\n    if (ms.matchdepth-- === 0)',
    },
    {
      find: '    while (singlematch(ms, s + i, p, ep))\n        i++;',
      replace: '    while (singlematch(ms, s + i, p, ep))\n        i++;\n    lstate.work(ms.L, i >> 1);',
    },
    {
      find: 'const matchbracketclass = function(ms, c, p, ec) {',
      replace: 'const matchbracketclass = function(ms, c, p, ec) {\n    lstate.work(ms.L, (ec - p) >> 3);',
    },
    {
      find: "            } while (ms.p[p] !== 93 /* ']'.charCodeAt(0) */);\n            return p + 1;",
      replace:
        "            } while (ms.p[p] !== 93 /* ']'.charCodeAt(0) */);\n            lstate.work(ms.L, (p - from) >> 3);\n            return p + 1;",
    },
    {
      find: 'luaL_argcheck(L, c >= 0 && c <= 255, "value out of range");',
      replace: 'luaL_argcheck(L, c >= 0 && c <= 255, i, "value out of range");',
    },
    {
      find: 'const getdetails = function(h, totalsize, fmt) {',
      replace: 'const getdetails = function(h, totalsize, fmt) {\n    lstate.work(h.L, 20);',
    },
    {
      find: 'const classend = function(ms, p) {',
      replace: 'const classend = function(ms, p) {\n    let from = p;',
    },
    // An empty match at the very beginning ends at 0, which is a match as well.
    {
      find: '        let res = match(ms, s + i, ep + 1);\n        if (res) return res;',
      replace: '        let res = match(ms, s + i, ep + 1);\n        if (res !== null) return res;',
    },
    {
      find: '    let L = ms.L;\n    switch (tr) {',
      replace: '    let L = ms.L;\n    lstate.work(L, 15);\n    switch (tr) {',
    },
    {
      find: '        while (++s < ms.src_end) {',
      replace:
        '        let from = s;\n        lstate.work(ms.L, (ms.src_end - from) >> 2);\n        while (++s < ms.src_end) {',
    },
    {
      find: '    let len = ms.capture[l].len;\n    if ((ms.src_end-s)',
      replace: '    let len = ms.capture[l].len;\n    lstate.work(ms.L, len >> 2);\n    if ((ms.src_end-s)',
    },
    {
      find: '    for (; (i = arr.indexOf(subarr[0], i)) !== -1; i++) {',
      replace:
        '    lstate.work(L, arr.length >> 4);\n    for (; (i = arr.indexOf(subarr[0], i)) !== -1; i++) {\n        lstate.work(L, 2 + (sl >> 3));',
    },
    {
      find: 'const find_subarray = function(arr, subarr, from_index) {',
      replace: 'const find_subarray = function(L, arr, subarr, from_index) {',
    },
    {
      find: 'let f = find_subarray(s.subarray(init - 1), p, 0);',
      replace: 'let f = find_subarray(L, s.subarray(init - 1), p, 0);',
    },
    {
      find: '    for (let i = 0; i < l; i++) {\n        if (news[i] !== L_ESC)',
      replace: '    lstate.work(L, l);\n    for (let i = 0; i < l; i++) {\n        if (news[i] !== L_ESC)',
    },
    {
      find: '        let totallen = n * l + (n - 1) * lsep;',
      replace:
        '        let totallen = n * l + (n - 1) * lsep;\n        lstate.checkString(L, totallen);\n        lstate.work(L, 2 * n);',
    },
    { find: 'else if (l + lsep < l || l + lsep > MAXSIZE / n)', replace: 'else if (l + lsep < l)' },
    {
      find: '    luaL_checkstack(L, n, "string slice too long");\n    for',
      replace: '    luaL_checkstack(L, n, "string slice too long");\n    lstate.work(L, n);\n    for',
    },
    { find: "const { sprintf } = require('sprintf-js');", replace: "const lstate = require('./lstate.js');" },
    { find: "const lualib = require('./lualib.js');", replace: 'const lualib = { lua_assert() {} };' },
    // 'format' and 'dump' are not taken over: our own format is bounded and prints as Lua 5.5 does.
    { find: '    "dump":     str_dump,\n', replace: '' },
    { find: '    "format":   str_format,\n', replace: '' },
  ],
  'ltablib.js': [
    {
      find: "const lualib = require('./lualib.js');",
      replace: "const lualib = { lua_assert() {} };\nconst lstate = require('./lstate.js');",
    },
    {
      find: 'const addfield = function(L, b, i) {',
      replace: 'const addfield = function(L, b, i) {\n    lstate.work(L, 10);',
    },
    {
      find: '            for (let i = e; i > pos; i--) {  /* move up elements */',
      replace:
        '            lstate.work(L, 12 * (e - pos));\n            for (let i = e; i > pos; i--) {  /* move up elements */',
    },
    {
      find: '    for (; pos < size; pos++) {',
      replace: '    lstate.work(L, 12 * Math.max(0, size - pos));\n    for (; pos < size; pos++) {',
    },
    {
      find: '        let n = e - f + 1;  /* number of elements to move */',
      replace:
        '        let n = e - f + 1;  /* number of elements to move */\n        lstate.work(L, 12 * n);',
    },
    {
      find: 'const sort_comp = function(L, a, b) {',
      replace: 'const sort_comp = function(L, a, b) {\n    lstate.work(L, 20);',
    },
    // The pivot depends on nothing but the interval.
    { find: '    return Math.floor(Math.random()*0x100000000);', replace: '    return 0x9e3779b9;' },
    {
      find: '    for (; i < e; i++)  /* push arg[i..e - 1] (to avoid overflows) */',
      replace:
        '    lstate.work(L, n);\n    for (; i < e; i++)  /* push arg[i..e - 1] (to avoid overflows) */',
    },
  ],
  'lutf8lib.js': [
    {
      find: '    while (posi <= posj) {',
      replace: '    lstate.work(L, Math.max(0, posj - posi) >> 1);\n    while (posi <= posj) {',
    },
    {
      find: 'const utflen = function(L) {',
      replace: "const lstate = require('./lstate.js');\nconst utflen = function(L) {",
    },
    {
      find: '    luaL_checkstack(L, n, "string slice too long");',
      replace: '    luaL_checkstack(L, n, "string slice too long");\n    lstate.work(L, n);',
    },
    {
      find: '    posi = u_posrelat(luaL_optinteger(L, 3, posi), s.length);\n',
      replace:
        '    posi = u_posrelat(luaL_optinteger(L, 3, posi), s.length);\n    lstate.work(L, (n > 0 ? s.length - posi : n < 0 ? posi : 0) >> 3);\n',
    },
    {
      find: 'const iter_aux = function(L) {',
      replace: 'const iter_aux = function(L) {\n    lstate.work(L, 15);',
    },
  ],
};
