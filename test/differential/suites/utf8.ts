/** `utf8`: cases of the kinds that the official tests have, in our words. */
export const utf8: readonly string[] = [
  'return {utf8.char()}, {utf8.char(72, 228, 8364, 0x10FFFF)}, {utf8.char(0)}, #utf8.char(0x7FFFFFFF), why(utf8.char, -1), why(utf8.char, 0x80000000)',
  'return utf8.charpattern, ("aé€"):match(utf8.charpattern, 2), #("aé€𝄞"), {select(2, ("aé€𝄞"):gsub(utf8.charpattern, ""))}',
  'return {utf8.len("aé€𝄞")}, {utf8.len("")}, {utf8.len("abc", 2)}, {utf8.len("abc", 4)}, {utf8.len("aé", -2)}, {utf8.len("abc", 1, 2)}, {utf8.len("abc", 3, 2)}, why(utf8.len, "abc", 5), why(utf8.len, "abc", 1, 5)',
  'return {utf8.len("\\xff")}, {utf8.len("a\\x80")}, {utf8.len("\\xc3")}, {utf8.len("\\xe2\\x82")}, {utf8.len("\\xc0\\x80")}, {utf8.len("\\xed\\xa0\\x80")}, {utf8.len("\\xed\\xa0\\x80", 1, -1, true)}, {utf8.len("\\xf4\\x90\\x80\\x80")}, {utf8.len("\\xf4\\x90\\x80\\x80", 1, -1, true)}',
  'return {utf8.codepoint("aé€")}, {utf8.codepoint("aé€", 1, -1)}, {utf8.codepoint("aé€", 2)}, {utf8.codepoint("𝄞")}, {utf8.codepoint("abc", 3, 2)}, why(utf8.codepoint, "abc", 4), why(utf8.codepoint, "\\xff"), why(utf8.codepoint, "é", 2)',
  'return {utf8.offset("aé€x", 1)}, {utf8.offset("aé€x", 2)}, {utf8.offset("aé€x", 3)}, {utf8.offset("aé€x", 4)}, {utf8.offset("aé€x", 5)}, {utf8.offset("aé€x", 6)}, {utf8.offset("aé€x", -1)}, {utf8.offset("aé€x", -2)}, {utf8.offset("aé€x", 0, 3)}, {utf8.offset("aé€x", 0, 5)}',
  'return {utf8.offset("abc", 1, 3)}, {utf8.offset("abc", 2, 3)}, {utf8.offset("abc", -1, 3)}, why(utf8.offset, "abc", 1, 5), why(utf8.offset, "é", 1, 2), {utf8.offset("", 1)}, {utf8.offset("", 0)}, {utf8.offset("", -1)}',
  'local out = {} for p, c in utf8.codes("aé€𝄞") do out[#out + 1] = p .. ":" .. c end return out',
  'return why(function() for _ in utf8.codes("ab\\xff") do end end), why(function() for _ in utf8.codes("\\xe2\\x82") do end end), why(function() for _ in utf8.codes("\\u{D800}") do end end)',
  'local out = {} for p, c in utf8.codes("\\u{D800}\\u{7FFFFFFF}", true) do out[#out + 1] = c end return out',
  'local s = "héllo wörld" local out = {} for i = 1, utf8.len(s) do local from = utf8.offset(s, i) out[i] = utf8.codepoint(s, from) end return out',
  'for _, c in ipairs({0, 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff}) do local s = utf8.char(c) print(c, #s, utf8.codepoint(s), utf8.len(s)) end',
  'return utf8.char(0xD800) == "\\xed\\xa0\\x80", why(utf8.codepoint, "\\u{D800}"), {utf8.codepoint("\\u{D800}", 1, 1, true)}, {utf8.codepoint("\\u{7FFFFFFF}", 1, 1, true)}',
  'return {utf8.len("x\\0y")}, {utf8.codepoint("\\0")}, {utf8.offset("x\\0y", 3)}, "\\u{0}" == "\\0", "\\u{20AC}" == "€"',
  'return why(utf8.len), why(utf8.codepoint), why(utf8.offset, "x"), why(utf8.char, {}), why(utf8.codes, nil)',
];
