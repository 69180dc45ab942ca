// A region's name: its last part stands out, the path before it is there.
export function Region({ path, href }: { path: string; href?: string }) {
  const cut = path.lastIndexOf("/") + 1;
  const text = (
    <span class="path">
      <span class="prefix">{path.slice(0, cut)}</span>
      <b>{path.slice(cut)}</b>
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
