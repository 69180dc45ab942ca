// Where the reader is, kept in the address after the #, so that every view can
// be linked, reloaded and left with the back button:
//
//	#/e/NAME/heat?metric=wtime   →  path ["e", "NAME", "heat"], query {metric: "wtime"}
import { useLayoutEffect, useState } from "preact/hooks";

export interface Route {
  path: string[];
  query: Record<string, string>;
}

export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return {
    path: path.split("/").filter(Boolean).map(decode),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a view. Empty query values are left out. */
export function link(path: string[], query: Record<string, string | undefined> = {}): string {
  const pairs = Object.entries(query).filter((e): e is [string, string] => !!e[1]);
  const text = new URLSearchParams(pairs).toString();
  return "#/" + path.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
}

/** Changes the query of the present view without a new step in the history. */
export function refine(query: Record<string, string | undefined>): void {
  const now = parse(location.hash);
  history.replaceState(null, "", link(now.path, { ...now.query, ...query }));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Changes the query of the present view as a step that Back undoes. */
export function step(query: Record<string, string | undefined>): void {
  const now = parse(location.hash);
  location.hash = link(now.path, { ...now.query, ...query });
}

export function go(path: string[], query: Record<string, string | undefined> = {}): void {
  location.hash = link(path, query);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parse(location.hash));
  // At once, not after painting: a link may be followed in between.
  useLayoutEffect(() => {
    const follow = () => setRoute(parse(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
