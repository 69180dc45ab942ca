// The PERFQL box: a question with completion, its answer as bars and a table.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, ApiError, type Answer, type Completion } from "../api";
import { axis, base, tip } from "../chart";
import { command, degree, inOne, quantity, unitOf } from "../format";
import { kindColour } from "../palette";
import { Chart, Picture } from "../picture";
import { Region } from "../region";
import { usePaint } from "../theme";
import { Degree, Said, Table, Warnings, type Column } from "../ui";
import type { ViewProps } from "../view";

type Row = Answer["rows"][0];

export function Ask({ name, query, refine }: ViewProps) {
  const [text, setText] = useState(query.q ?? "wtime is high");
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);

  const run = async () => {
    setBusy(true);
    try {
      setAnswer(await api.query({ experiments: [name], query: text, top: 200 }));
      setError(undefined);
      refine({ q: text });
    } catch (e) {
      setAnswer(undefined);
      const failed = e instanceof ApiError ? e : new ApiError(0, { message: String(e) });
      setError(failed);
      if (failed.failure.offset !== undefined) {
        box.current?.focus();
        box.current?.setSelectionRange(failed.failure.offset, failed.failure.offset);
      }
    }
    setBusy(false);
  };
  useEffect(() => {
    if (query.q) void run(); // an address with a question is a question
  }, []);
  return (
    <section>
      <h2>Ask in words</h2>
      <form
        class="ask"
        onSubmit={(e) => {
          e.preventDefault();
          void run();
        }}
      >
        <QueryBox name={name} text={text} onText={setText} box={box} onRun={run} invalid={!!error} />
        <button type="submit" class="main" disabled={busy || !text.trim()}>
          Ask
        </button>
      </form>
      <p class="note">
        For example:{" "}
        {["wtime is high", "imbalance is high and mpi_share is not low", "mpi_share is very high BY unit LIMIT 10"].map(
          (q) => (
            <button
              key={q}
              type="button"
              class="quiet example"
              onClick={() => {
                setText(q);
                box.current?.focus();
              }}
            >
              {q}
            </button>
          ),
        )}
      </p>
      {error && (
        <div role="alert">
          <pre class="error caret">{error.failure.caret ?? error.message}</pre>
        </div>
      )}
      {answer && <Result answer={answer} name={name} />}
    </section>
  );
}

interface BoxProps {
  name: string;
  text: string;
  onText: (t: string) => void;
  onRun: () => void;
  box: { current: HTMLTextAreaElement | null };
  invalid: boolean;
}

/** A text box that suggests what may come next. */
function QueryBox({ name, text, onText, onRun, box, invalid }: BoxProps) {
  const [options, setOptions] = useState<Completion>();
  const [at, setAt] = useState(-1); // what the arrows chose; none at first, so that Enter asks
  const asking = useRef<AbortController | undefined>(undefined);
  const suggest = async (value: string, cursor: number) => {
    asking.current?.abort();
    const mine = (asking.current = new AbortController());
    try {
      const found = await api.complete({ experiments: [name], query: value, cursor }, mine.signal);
      if (mine.signal.aborted) return;
      const typed = value.slice(found.from, cursor);
      const useful = found.options.filter((o) => o.text !== typed);
      setOptions(useful.length ? { ...found, options: useful.slice(0, 10) } : undefined);
      setAt(-1);
    } catch {
      // no suggestions then
    }
  };
  const take = (i: number) => {
    const chosen = options?.options[i];
    if (!options || !chosen) return;
    const next = text.slice(0, options.from) + chosen.text + text.slice(options.to);
    onText(next);
    setOptions(undefined);
    const cursor = options.from + chosen.text.length;
    requestAnimationFrame(() => {
      box.current?.focus();
      box.current?.setSelectionRange(cursor, cursor);
    });
  };
  const key = (e: KeyboardEvent) => {
    if (e.key === " " && e.ctrlKey) void suggest(text, box.current?.selectionStart ?? text.length);
    else if (e.key === "Enter" && (e.ctrlKey || e.metaKey || (!e.shiftKey && (!options || at < 0)))) {
      setOptions(undefined);
      onRun();
    } else if (!options) return;
    else if (e.key === "ArrowDown") setAt((at + 1) % options.options.length);
    else if (e.key === "ArrowUp") setAt((Math.max(0, at) + options.options.length - 1) % options.options.length);
    else if (e.key === "Tab" || e.key === "Enter") take(Math.max(0, at));
    else if (e.key === "Escape") setOptions(undefined);
    else return;
    e.preventDefault();
  };
  return (
    <div class="query">
      <textarea
        ref={(el) => {
          box.current = el;
        }}
        rows={2}
        spellcheck={false}
        autocomplete="off"
        aria-label="PERFQL query"
        aria-invalid={invalid}
        aria-autocomplete="list"
        aria-controls="completions"
        aria-activedescendant={options && at >= 0 ? `completion-${at}` : undefined}
        value={text}
        onInput={(e) => {
          const { value, selectionStart } = e.currentTarget;
          onText(value);
          setOptions((old) => narrowed(old, value, selectionStart));
          setAt(-1);
          void suggest(value, selectionStart);
        }}
        onKeyDown={key}
        onBlur={() => setTimeout(() => setOptions(undefined), 150)}
      />
      <ul id="completions" role="listbox" aria-label="Suggestions" hidden={!options}>
        {options?.options.map((o, i) => (
          <li
            key={o.kind + o.text}
            id={`completion-${i}`}
            role="option"
            aria-selected={i === at}
            onPointerDown={(e) => {
              e.preventDefault();
              take(i);
            }}
          >
            <code>{o.text}</code> <small>{o.about || o.kind}</small>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What of the suggestions still fits while the answer for a new text is under way. */
function narrowed(old: Completion | undefined, text: string, cursor: number): Completion | undefined {
  if (!old || cursor < old.from) return undefined;
  const typed = text.slice(old.from, cursor).toLowerCase();
  const options = old.options.filter((o) => o.text.toLowerCase().startsWith(typed) && o.text.length > typed.length);
  return options.length ? { ...old, to: cursor, options } : undefined;
}

const rowName = (r: Row): string =>
  [r.region, r.unit !== null ? `unit ${r.unit}` : ""].filter(Boolean).join(", ") || r.experiment;

function Result({ answer, name }: { answer: Answer; name: string }) {
  const columns: Column<Row>[] = [
    ...(answer.rows.some((r) => r.experiment !== name)
      ? [{ key: "experiment", head: "experiment", by: (r: Row) => r.experiment, cell: (r: Row) => r.experiment }]
      : []),
    ...(answer.rows.some((r) => r.region !== null)
      ? [
          {
            key: "region",
            head: "region",
            by: (r: Row) => r.region,
            cell: (r: Row) => <Region path={r.region ?? ""} />,
          },
        ]
      : []),
    ...(answer.rows.some((r) => r.unit !== null)
      ? [{ key: "unit", head: "unit", right: true, by: (r: Row) => r.unit, cell: (r: Row) => r.unit }]
      : []),
    { key: "degree", head: "degree", by: (r) => r.degree, cell: (r) => <Degree value={r.degree} /> },
    ...answer.metrics.map((m): Column<Row> => {
      const text = inOne(answer.rows.map((r) => r.metrics[m]), unitOf(m));
      return { key: "metric " + m, head: m, right: true, by: (r) => r.metrics[m], cell: (r) => text(r.metrics[m]) };
    }),
  ];
  return (
    <>
      <p class="words small" role="status">
        <Said text={answer.words} />
      </p>
      <Warnings list={answer.warnings} />
      {answer.rows.length > 1 && <Degrees answer={answer} name={name} />}
      {answer.rows.length > 0 && (
        <Table
          label="Answer"
          rows={answer.rows}
          columns={columns}
          rowKey={(r) => `${r.experiment} ${r.region} ${r.unit}`}
          top={15}
        />
      )}
      <details>
        <summary>The SQL it became</summary>
        <pre class="sql">{answer.sql}</pre>
      </details>
    </>
  );
}

function Degrees({ answer, name }: { answer: Answer; name: string }) {
  const p = usePaint();
  const rows = answer.rows.slice(0, 15);
  const option = useMemo(
    () => ({
      ...base(p, `Degrees of ${rows.length} rows`),
      grid: { left: 8, right: 48, top: 4, bottom: 4, containLabel: true },
      xAxis: axis(p, { type: "value", min: 0, max: 1, axisLabel: { show: false }, axisLine: { show: false } }),
      yAxis: axis(p, {
        type: "category",
        inverse: true,
        data: rows.map(rowName),
        axisLine: { show: false },
        axisLabel: { color: p.ink, fontSize: 12, width: 260, overflow: "truncate" },
      }),
      tooltip: {
        ...(base(p, "").tooltip as object),
        formatter: (e: { dataIndex: number }) =>
          tip(rowName(rows[e.dataIndex]!), [
            ["degree", degree(rows[e.dataIndex]!.degree, 3)],
            ...answer.metrics.map((m): [string, string] => [m, quantity(rows[e.dataIndex]!.metrics[m], unitOf(m))]),
          ]),
      },
      series: [
        {
          type: "bar",
          data: rows.map((r) => r.degree),
          color: kindColour(0),
          barMaxWidth: 14,
          label: { show: true, position: "right", color: p.soft, formatter: (e: { value: number }) => degree(e.value) },
        },
      ],
    }),
    [answer, p],
  );
  return (
    <Picture title={`Degree to which ${answer.query}`} command={command("query", name, answer.query)}>
      <Chart
        option={option}
        height={rows.length * 22 + 16}
        label={`Bars of degree, best first: ${rowName(rows[0]!)}`}
      />
    </Picture>
  );
}
