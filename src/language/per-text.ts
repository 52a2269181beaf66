/** Remembers what each text was read as. For texts of `types/` only: there are so many as it has declarations. */
export function perText<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined || known.has(text)) return found as T;
    const made = read(text);
    known.set(text, made);
    return made;
  };
}
