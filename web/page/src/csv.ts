// Tables as CSV, with numbers as they were measured.
import type { Column } from "./ui";

const cell = (v: unknown): string => {
  const text = v === null || v === undefined ? "" : String(v);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The columns that have a value, all rows. */
export function csvOf<R>(columns: Column<R>[], rows: R[]): string {
  const told = columns.filter((c) => c.by);
  return csvOfLines([told.map((c) => c.csv ?? c.head), ...rows.map((row) => told.map((c) => c.by!(row)))]);
}

/** Lines of cells, the heads first. */
export const csvOfLines = (lines: unknown[][]): string => lines.map((l) => l.map(cell).join(",")).join("\r\n") + "\r\n";

export function download(name: string, blob: Blob): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}

/** A title as the name of a file. */
export const fileName = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60) || "picture";
