/** Strings are hashed and compared by their bytes. */

/** @type {Record<string, import('../fengari-edits.mjs').Edit[]>} */
export const strings = {
  'lstring.js': [
    {
      find: `    let s = "|";
    for (let i=0; i<len; i++)
        s += str[i].toString(16);
    return s;`,
      replace: `    let s = "|";
    for (let i=0; i<len; i+=4096)
        s += String.fromCharCode.apply(null, str.subarray(i, i+4096));
    return s;`,
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
