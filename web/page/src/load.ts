// Asking the server from a view: the latest question wins, the last answer
// stays on screen while the next is under way.
import { useEffect, useState } from "preact/hooks";

export interface Loaded<T> {
  data?: T;
  error?: Error;
  loading: boolean;
  /** Asks once more. */
  again?: () => void;
}

export function useLoad<T>(ask: ((signal: AbortSignal) => Promise<T>) | undefined, deps: unknown[]): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ loading: true });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!ask) {
      setState((old) => ({ data: old.data, loading: false }));
      return;
    }
    const stop = new AbortController();
    setState((old) => ({ data: old.data, loading: true }));
    ask(stop.signal).then(
      (data) => !stop.signal.aborted && setState({ data, loading: false }),
      (error) => !stop.signal.aborted && setState((old) => ({ data: old.data, error, loading: false })),
    );
    return () => stop.abort();
  }, [...deps, tries]);
  return { ...state, again: () => setTries((n) => n + 1) };
}

/** A value that follows another after it rested for a while. */
export function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
