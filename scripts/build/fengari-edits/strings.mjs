/** Strings are hashed and compared by their bytes, and not copied twice. */

/** @type {Record<string, import('../fengari-edits.mjs').Edit[]>} */
export const strings = {
  'lstring.js': [
    {
      find: `    let s = "|";
    for (let i=0; i<len; i++)
        s += str[i].toString(16);
    return s;`,
      replace: `    if (len <= 4096) return "|" + String.fromCharCode.apply(null, str);
    let s = "|";
    for (let i=0; i<len; i+=4096)
        s += String.fromCharCode.apply(null, str.subarray(i, i+4096));
    return s;`,
    },
  ],
  'lapi.js': [
    {
      find: 'ts = luaS_new(L, s.subarray(0, len));',
      replace: 'ts = luaS_bless(L, s.slice(0, len));',
    },
  ],
  // The name of an event that is looked for at every turn needn't be hashed each time.
  'lauxlib.js': [
    {
      find: 'const __tostring = to_luastring("__tostring");',
      replace: 'const __tostring = to_luastring("__tostring");\n__tostring.hash = "|__tostring";',
    },
    {
      find: '        lua_pushstring(L, event);\n        let tt = lua_rawget(L, -2);',
      replace:
        '        lua_pushstring(L, event);\n        if (event.hash !== undefined) L.stack[L.top - 1].value.hash = event.hash;\n        let tt = lua_rawget(L, -2);',
    },
  ],
  'lvm.js': [
    {
      find: `    let l = luaS_hashlongstr(ls);
    let r = luaS_hashlongstr(rs);
    /* In fengari we assume string hash has same collation as byte values */
    if (l === r)
        return 0;
    else if (l < r)
        return -1;
    else
        return 1;`,
      replace: `    let l = ls.getstr();
    let r = rs.getstr();
    let n = Math.min(l.length, r.length);
    for (let i = 0; i < n; i++)
        if (l[i] !== r[i]) return l[i] - r[i];
    return l.length - r.length;`,
    },
    { find: '    luaS_eqlngstr,\n    luaS_hashlongstr\n', replace: '    luaS_eqlngstr\n' },
  ],
};
