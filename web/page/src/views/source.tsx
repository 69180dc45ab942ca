// View 8: the user's file, with each region's share of the time beside the
// line where it begins.
import { useEffect, useRef } from "preact/hooks";
import { api, live, type Source as File } from "../api";
import { command, seconds, share } from "../format";
import { lastName } from "../names";
import { useLoad } from "../load";
import { Command } from "../picture";
import { link } from "../router";
import { Answer, Bar, Table } from "../ui";
import type { ViewProps } from "../view";

export function Source({ name, query }: ViewProps) {
  const files = useLoad(() => api.sources(name), [name]);
  const about = useLoad(() => api.about(), []);
  const chosen = files.data?.files.find((f) => f.file === query.file) ?? files.data?.files.find((f) => f.available);
  return (
    <Answer of={files} wait="Looking for sources…">
      {(data) => (
        <>
          {data.files.length === 0 && (
            <p class="words">This experiment does not say where its regions are in the source.</p>
          )}
          {data.files.length > 0 && !data.files.some((f) => f.available) && (
            <p class="words">
              {about.data?.sources ? (
                "None of these files is in the folders that --source named."
              ) : (
                <>
                  The sources are not at hand. <code>auspex serve --source DIR</code> says where they are.
                </>
              )}
            </p>
          )}
          {data.files.length > 0 && (
            <Table
              label="Source files"
              rows={data.files}
              rowKey={(f) => f.file}
              top={8}
              marked={(f) => f === chosen && f.available}
              columns={[
                {
                  key: "file",
                  head: "file",
                  by: (f) => f.file,
                  cell: (f) =>
                    f.available ? <a href={link(["e", name, "source"], { file: f.file })}>{f.file}</a> : f.file,
                },
                { key: "share", head: "of the time", by: (f) => f.share, cell: (f) => <Bar value={f.share} /> },
                { key: "regions", head: "regions", right: true, by: (f) => f.regions, cell: (f) => f.regions },
                { key: "available", head: "", cell: (f) => (f.available ? "" : "not at hand") },
              ]}
            />
          )}
          {chosen?.available && (
            <Listing key={chosen.file} name={name} file={chosen.file} line={Number(query.line) || 0} />
          )}
        </>
      )}
    </Answer>
  );
}

function Listing({ name, file, line }: { name: string; file: string; line: number }) {
  const found = useLoad(() => api.source(name, file), [name, file]);
  return (
    <Answer of={found} wait="Reading the file…">
      {(f) => <Lines f={f} line={line} name={name} />}
    </Answer>
  );
}

/** Ways to the lines that take most. */
function Heaviest({ f, name }: { f: File; name: string }) {
  const sums = new Map<number, number>();
  for (const m of f.marks) sums.set(m.line, (sums.get(m.line) ?? 0) + (m.share ?? 0));
  const most = [...sums].filter(([, s]) => s >= 0.0005).sort((a, b) => b[1] - a[1]).slice(0, 5);
  if (!live() || !most.length) return null;
  return (
    <p class="note">
      Most time:{" "}
      {most.map(([line, sum], i) => (
        <>
          {i > 0 && ", "}
          <a href={link(["e", name, "source"], { file: f.file, line: String(line) })}>line {line}</a> {share(sum)}
        </>
      ))}
    </p>
  );
}

function Lines({ f, line, name }: { f: File; line: number; name: string }) {
  const here = useRef<HTMLTableRowElement>(null);
  useEffect(() => here.current?.scrollIntoView({ block: "center" }), [line]);
  const marks = new Map<number, File["marks"]>();
  for (const m of f.marks) marks.set(m.line, [...(marks.get(m.line) ?? []), m]);
  const most = Math.max(0, ...f.marks.map((m) => m.share ?? 0));
  return (
    <section>
      <h2>{f.file}</h2>
      <Heaviest f={f} name={name} />
      <div class="listing">
        <table aria-label={`Source of ${f.file}`}>
          <tbody>
            {f.lines.map((text, i) => {
              const here_ = marks.get(i + 1);
              const sum = here_?.reduce((a, m) => a + (m.share ?? 0), 0) ?? null;
              return (
                <tr
                  key={i}
                  ref={i + 1 === line ? here : undefined}
                  class={[i + 1 === line ? "marked" : "", here_ ? "region" : ""].join(" ").trim() || undefined}
                >
                  <td
                    class="gutter"
                    title={here_
                      ?.map(
                        (m) =>
                          `${m.region}: ${share(m.share)}, ${seconds(m.exclusive)} alone, ${seconds(m.inclusive)} in all`,
                      )
                      .join("\n")}
                  >
                    {here_ && (
                      <>
                        <span
                          class="gutter-bar"
                          style={{ width: `${most ? (100 * sum!) / most : 0}%` }}
                          aria-hidden="true"
                        />
                        <span class="gutter-text">{share(sum)}</span>
                      </>
                    )}
                  </td>
                  <td class="number">{i + 1}</td>
                  <td class="code">
                    <code>{text}</code>
                    {here_ && (
                      <span class="mark">
                        {here_
                          .map((m) => lastName(m.region))
                          .slice(0, 3)
                          .join(", ")}
                      </span>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <Command line={command("show", name, "--regions")} />
    </section>
  );
}
