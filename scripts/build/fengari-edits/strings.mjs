/** Strings are hashed and compared by their bytes, not copied twice, and the bytes of names are there once for all states. */

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
    // Uint8Array.from walks an iterator; slice copies memory. What is shared is never written to, and needs no copy.
    {
      find: 'return luaS_bless(L, luastring_from(str));',
      replace: `if (str.hash === undefined) return luaS_bless(L, str.slice());
    /* One for all states; each is charged for its own. */
    let ts = luaS_bless(L, str);
    if (str.text === undefined) {
        ts.hash = str.hash;
        str.text = ts;
    }
    return str.text;`,
    },
    { find: '    luastring_from,\n', replace: '' },
  ],
  'defs.js': [
    {
      find: 'const to_luastring_cache = {};',
      replace: `/* Lets all states use these bytes, and their key in tables, as they are. What is long is charged for, and not shared. */
const share = function(bytes) {
    if (bytes.length < 64) bytes.hash = "|" + String.fromCharCode.apply(null, bytes);
    return bytes;
};

const to_luastring_cache = {};`,
    },
    {
      find: '    if (cache) to_luastring_cache[str] = outU8Array;',
      replace: '    if (cache) to_luastring_cache[str] = share(outU8Array);',
    },
    {
      find: 'module.exports.to_luastring      = to_luastring;',
      replace: 'module.exports.to_luastring      = to_luastring;\nmodule.exports.share = share;',
    },
  ],
  'lapi.js': [
    {
      find: 'ts = luaS_new(L, s.subarray(0, len));',
      replace: 'ts = luaS_bless(L, s.slice(0, len));',
    },
  ],
  // The name of an event that is looked for at every turn needn't be copied and hashed each time.
  'lauxlib.js': [
    {
      find: 'const __tostring = to_luastring("__tostring");',
      replace: 'const __tostring = to_luastring("__tostring", true);',
    },
    { find: 'to_luastring(lib));', replace: 'to_luastring(lib, true));' },
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
