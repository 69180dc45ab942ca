// A region's name: its last part stands out, the path before it is there. What is
// shortened is whole on hover and when it is copied.
import { apart, brief, lastName, parts, shortened } from "./names";

interface Props {
  path: string;
  href?: string;
  most?: number;
  /** How its last name is written among others (see apart), where not alone. */
  label?: string;
}

export function Region({ path, href, most = 56, label }: Props) {
  const names = parts(path);
  const last = names.pop() ?? "";
  const before = names.map((n) => brief(n, 32) + "/").join("");
  const text = (
    <span class="path" title={path} data-whole={path}>
      {before && <bdi class="prefix">{shortened(before, Math.max(20, most - 12))}</bdi>}
      <bdi>
        <b>{label ?? brief(last, most)}</b>
      </bdi>
    </span>
  );
  return href ? (
    <a class="plain" href={href}>
      {text}
    </a>
  ) : (
    text
  );
}

/** The labels of regions that stand in one list, by their paths: no two names look alike. */
export function labelled(paths: string[], most = 56): Map<string, string> {
  const labels = apart(paths.map(lastName), most);
  return new Map(paths.map((p, i) => [p, labels[i]!]));
}

/** Copies names whole where they are shown shortened. */
export function copyWhole(): void {
  addEventListener("copy", (e) => {
    const picked = getSelection();
    const around = (node?: Node | null) => (node instanceof Element ? node : node?.parentElement)?.closest<HTMLElement>("[data-whole]");
    const from = around(picked?.anchorNode);
    if (!picked || !from || from !== around(picked.focusNode)) return;
    if (!picked.toString().includes("…")) return;
    e.clipboardData?.setData("text/plain", from.dataset.whole!);
    e.preventDefault();
  });
}
