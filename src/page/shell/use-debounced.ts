import { useEffect, useState } from 'preact/hooks';

/** A value when it has stood for a while, so that not every key that is typed is a question to the server. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
