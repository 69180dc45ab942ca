// The small parts all views are made of.
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { ApiError, live } from "./api";
import { csvOf, download, fileName } from "./csv";
import { degree, share } from "./format";
import type { Loaded } from "./load";

/** Shows an answer, or why there is none. */
export function Answer<T>({
  of,
  wait,
  children,
}: {
  of: Loaded<T>;
  wait: string;
  children: (data: T) => ComponentChildren;
}) {
  if (of.error) return <Failure error={of.error} again={of.again} />;
  if (of.data === undefined)
    return of.loading ? (
      <p class="wait" role="status">
        {wait}
      </p>
    ) : null;
  return <div class={of.loading ? "stale" : undefined}>{children(of.data)}</div>;
}

export function Failure({ error, again }: { error: Error; again?: () => void }) {
  const gone = error instanceof ApiError && (error.status === 0 || error.status === 503) && live();
  return (
    <p class="error" role="alert">
      {error.message}
      {gone && again && (
        <>
          {" "}
          <button type="button" onClick={again}>
            Try again
          </button>
        </>
      )}
    </p>
  );
}

/** The answer in words. Text between backquotes is a name in the program. */
export function Words({ text, small = false }: { text: string; small?: boolean }) {
  return text ? (
    <p class={small ? "words small" : "words"}>
      <Said text={text} />
    </p>
  ) : null;
}

/** A sentence with names in it. */
export function Said({ text }: { text: string }) {
  return (
    <>
      {unbroken(text)
        .split("`")
        .map((part, i) => (i % 2 ? <code key={i}>{part}</code> : breakable(part)))}
    </>
  );
}

/** A path may break after its slashes, rather than anywhere. */
const breakable = (text: string): ComponentChildren =>
  text.split(/(?<=\w\/)(?=\w)/).flatMap((part, i) => (i ? [<wbr key={i} />, part] : [part]));

/** Numbers stay on one line with their units. */
export const unbroken = (text: string): string =>
  text.replace(/(\d) (%|×|[µmnkMG]?[sB]|min|h)(?![\p{L}\p{N}])/gu, "$1\u00a0$2");

export function Warnings({ list }: { list?: string[] | null }) {
  if (!list?.length) return null;
  return (
    <ul class="warnings">
      {list.map((w) => (
        <li key={w}>{w}</li>
      ))}
    </ul>
  );
}

/** A bar for a part of one, with its number beside it. */
export function Bar({
  value,
  text,
  tone,
  kind = "bar",
}: {
  value: number | null | undefined;
  text?: string;
  tone?: "warn";
  kind?: string;
}) {
  const v = Math.min(1, Math.max(0, value ?? 0));
  return (
    <span class={kind}>
      <span class="track" aria-hidden="true">
        <span class={tone ? `fill ${tone}` : "fill"} style={{ width: `${100 * v}%` }} />
      </span>
      <span class="value">{text ?? share(value)}</span>
    </span>
  );
}

export function Degree({ value }: { value: number | null | undefined }) {
  return <Bar value={value} text={degree(value)} kind="bar degree" />;
}

export interface Column<R> {
  key: string;
  head: string;
  /** What stands above it in a file, where the head alone does not say it: with its unit. */
  csv?: string;
  /** What is compared when the column is sorted; without it the column is not sortable. */
  by?: (row: R) => number | string | null | undefined;
  cell: (row: R) => ComponentChildren;
  right?: boolean;
  /** May be left out on a narrow screen. */
  wide?: boolean;
}

interface TableProps<R> {
  label: string;
  rows: R[];
  columns: Column<R>[];
  rowKey: (row: R) => string;
  /** Rows shown at first; a button shows the rest. */
  top?: number;
  sort?: string;
  /** Told when the reader sorts otherwise, so that it can be kept in the address. */
  onSort?: (sort: string) => void;
  marked?: (row: R) => boolean;
  /** How many rows there are where the answer was cut, and what prints them. */
  all?: { total: number; command: string };
}

/** A table that sorts where a head is pressed. */
export function Table<R>({ label, rows, columns, rowKey, top = 25, sort, onSort, marked, all }: TableProps<R>) {
  const read = (text?: string) => (text ? { key: text.replace(/^-/, ""), down: text.startsWith("-") } : undefined);
  const [own, setOwn] = useState(read(sort));
  const order = onSort ? read(sort) : own;
  const [shown, setShown] = useState(top);
  const sorted = useMemo(() => {
    const by = columns.find((c) => c.key === order?.key)?.by;
    if (!by || !order) return rows;
    const sign = order.down ? -1 : 1;
    return [...rows].sort((a, b) => sign * compare(by(a), by(b), sign));
  }, [rows, order?.key, order?.down, columns]);
  const press = (key: string) => {
    const next = { key, down: order?.key === key ? !order.down : true };
    setOwn(next);
    onSort?.((next.down ? "-" : "") + key);
  };
  return (
    <div class="table">
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((c) => (
              <th
                key={c.key}
                scope="col"
                class={cls(c)}
                aria-sort={order?.key === c.key ? (order.down ? "descending" : "ascending") : undefined}
              >
                {c.by ? (
                  <button type="button" class="head" onClick={() => press(c.key)}>
                    {c.head}
                    <span aria-hidden="true">{order?.key === c.key ? (order.down ? " ↓" : " ↑") : ""}</span>
                  </button>
                ) : (
                  c.head
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, shown).map((row) => (
            <tr key={rowKey(row)} class={marked?.(row) ? "marked" : undefined}>
              {columns.map((c) => (
                <td key={c.key} class={cls(c)}>
                  {c.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <button type="button" class="quiet more" onClick={() => setShown(shown * 4)}>
          {(rows.length - shown).toLocaleString("en")} more
        </button>
      )}
      {rows.length > 0 && <SaveCsv label={label} text={() => csvOf(columns, sorted)} />}
      {all && all.total > rows.length && <Rest shown={rows.length} total={all.total} command={all.command} />}
    </div>
  );
}

/** Keeps a table as a file. */
export function SaveCsv({ label, text }: { label: string; text: () => string }) {
  return (
    <button
      type="button"
      class="quiet csv"
      aria-label={`Save "${label}" as CSV`}
      onClick={() => download(fileName(label) + ".csv", new Blob([text()], { type: "text/csv" }))}
    >
      save CSV
    </button>
  );
}

/** Says that there is more than an answer brings, and how to get it. */
export function Rest({ shown, total, command }: { shown: number; total: number; command: string }) {
  return (
    <p class="note">
      The first {shown.toLocaleString("en")} of {total.toLocaleString("en")}; <code>{command}</code> prints them all.
    </p>
  );
}

const cls = <R,>(c: Column<R>) => [c.right ? "right" : "", c.wide ? "wide" : ""].join(" ").trim() || undefined;

// Missing values come last, whichever way the order goes.
function compare(a: number | string | null | undefined, b: number | string | null | undefined, sign: number): number {
  if (a === b) return 0;
  if (a === null || a === undefined) return sign;
  if (b === null || b === undefined) return -sign;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** A choice among few. */
export function Choice<V extends string>(props: {
  label: string;
  value: V;
  options: { value: V; label: string }[];
  onChange: (v: V) => void;
}) {
  return (
    <label class="field">
      <span>{props.label}</span>
      <select value={props.value} onChange={(e) => props.onChange(e.currentTarget.value as V)}>
        {props.options.map((o) => (
          <option key={o.value} value={o.value}>
            {o.label}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Switch(props: { label: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <label class="field switch">
      <input type="checkbox" checked={props.on} onChange={(e) => props.onChange(e.currentTarget.checked)} />
      <span>{props.label}</span>
    </label>
  );
}
