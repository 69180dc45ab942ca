// View 5: asking in words, and what the words mean.
import { live } from "../api";
import type { ViewProps } from "../view";
import { Ask } from "./ask";
import { Terms } from "./terms";

export function WordsView(props: ViewProps) {
  return (
    <>
      {live() && <Ask {...props} />}
      <Terms {...props} />
    </>
  );
}
