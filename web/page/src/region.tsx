// A region's name: its last part stands out, the path before it is there. What is
// shortened is whole on hover and when it is copied.
import { brief, parts, shortened } from "./names";

export function Region({ path, href, most = 56 }: { path: string; href?: string; most?: number }) {
  const names = parts(path);
  const last = names.pop() ?? "";
  const before = names.map((n) => brief(n, 32) + "/").join("");
  const text = (
    <span class="path" title={path} data-whole={path}>
      {before && <bdi class="prefix">{shortened(before, Math.max(20, most - 12))}</bdi>}
      <bdi>
        <b>{brief(last, most)}</b>
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
