// What a change would bring: sliders for regions, balance and network, the new time
// at once, and beside them what would pay most. Before, what if and, where another
// run was made, after stand on one axis.
import { useState } from "preact/hooks";
import { api, live, type ChangesQuery, type Opportunities, type Priced } from "../api";
import { command, inOne, seconds, share } from "../format";
import { useLoad, useSettled, type Loaded } from "../load";
import { apart, brief } from "../names";
import { kindColour } from "../palette";
import { Command, Drawing, Picture } from "../picture";
import { usePaint } from "../theme";
import { Answer, Bar, Choice, Switch, Table, Warnings, Words, type Column } from "../ui";
import type { ViewProps } from "../view";
import { useWidth } from "../width";
import { Timelines } from "./timelines";

const mostSliders = 6;

interface Settings {
  faster: Record<string, number>;
  balance: string[];
  network: string;
}

/** The settings are kept in the address as the command line has them. */
function read(query: ViewProps["query"]): Settings {
  const faster: Record<string, number> = {};
  for (const one of (query.faster ?? "").split("\n").filter(Boolean)) {
    const cut = one.lastIndexOf("=");
    faster[one.slice(0, cut)] = Number(one.slice(cut + 1));
  }
  return { faster, balance: (query.balance ?? "").split("\n").filter(Boolean), network: query.network ?? "" };
}

const asked = (s: Settings): ChangesQuery => ({
  faster: Object.entries(s.faster).filter(([, f]) => f !== 1).map(([r, f]) => `${r}=${f}`),
  balance: s.balance,
  network: s.network ? [s.network] : [],
});

export function WhatIf({ name, query, refine }: ViewProps) {
  const [stage, setStage] = useState("Trying changes…");
  const list = useLoad((signal) => api.opportunities(name, live() ? (p) => setStage(`${p.stage}…`) : undefined, signal), [name]);
  const settings = read(query);
  const keep = (next: Settings) => {
    const q = asked(next);
    refine({ faster: q.faster!.join("\n") || undefined, balance: q.balance!.join("\n") || undefined, network: next.network || undefined });
  };
  const changes = asked(settings);
  const key = useSettled(JSON.stringify(changes), 120);
  const any = Object.values(JSON.parse(key) as Record<string, string[]>).some((list) => list.length > 0);
  const priced = useLoad<Priced | undefined>(any ? (signal) => api.whatif(name, JSON.parse(key) as ChangesQuery, signal) : async () => undefined, [name, key, any]);
  return (
    <Answer of={list} wait={stage}>
      {(l) => (
        <div class="whatif">
          <section>
            <h2>Change</h2>
            <Sliders l={l} settings={settings} keep={keep} />
            <New name={name} l={l} priced={priced} changes={changes} query={query} refine={refine} />
          </section>
          <section>
            <h2>What would pay</h2>
            <Words text={l.words} small />
            <List l={l} take={(o) => keep(taken(settings, o.change))} />
            <Warnings list={l.notes} />
            <Command line={command("whatif", name)} />
          </section>
          <section class="across">
            <Timelines name={name} changes={any ? (JSON.parse(key) as ChangesQuery) : undefined} priced={any ? priced.data?.new_seconds : undefined} after={query.after} query={query} refine={refine} />
          </section>
        </div>
      )}
    </Answer>
  );
}

/** A change as the command line writes it, added to what is set. */
function taken(s: Settings, change: string): Settings {
  const [, flag, value] = /^--(\S+) ?(.*)$/.exec(change) ?? [];
  if (flag === "faster" && value) {
    const cut = value.lastIndexOf("=");
    return { ...s, faster: { ...s.faster, [value.slice(0, cut)]: Number(value.slice(cut + 1)) } };
  }
  if (flag === "balance" && value) return { ...s, balance: [...new Set([...s.balance, value])] };
  if (flag === "network" && value) return { ...s, network: value };
  return s;
}

const settable = (change: string): boolean => /^--(faster|balance|network) ?/.test(change);

function Sliders({ l, settings, keep }: { l: Opportunities; settings: Settings; keep: (s: Settings) => void }) {
  const heaviest = [...new Set([...l.opportunities.map((o) => o.region).filter((r) => r && l.regions.includes(r)), ...l.regions])].slice(0, mostSliders);
  const labels = apart(heaviest, 36);
  return (
    <>
      {heaviest.map((region, i) => {
        const factor = settings.faster[region] ?? 1;
        return (
          <div class="slider" key={region}>
            <label>
              <span title={region}>{labels[i]}</span>
              <input
                type="range"
                min="0"
                max="4"
                step="0.25"
                value={String(Math.log2(factor))}
                aria-label={`Speed of ${region}`}
                aria-valuetext={`${factor} times as fast`}
                onInput={(e) => keep({ ...settings, faster: { ...settings.faster, [region]: Number((2 ** Number(e.currentTarget.value)).toFixed(3)) } })}
              />
              <b>{factor === 1 ? "as it is" : `${Number(factor.toFixed(2))} × as fast`}</b>
            </label>
            <Switch
              label="balanced"
              on={settings.balance.includes(region)}
              onChange={(on) => keep({ ...settings, balance: on ? [...settings.balance, region] : settings.balance.filter((r) => r !== region) })}
            />
          </div>
        );
      })}
      <div class="controls">
        <Choice
          label="Network"
          value={settings.network}
          options={[
            { value: "", label: "as it is" },
            { value: "bandwidth=2x", label: "twice the bandwidth" },
            { value: "bandwidth=10x", label: "ten times the bandwidth" },
            { value: "latency=0", label: "no latency" },
            { value: "ideal", label: "ideal" },
          ]}
          onChange={(network) => keep({ ...settings, network })}
        />
        <button type="button" class="quiet" onClick={() => keep({ faster: {}, balance: [], network: "" })}>
          all as it is
        </button>
      </div>
    </>
  );
}

function New(props: { name: string; l: Opportunities; priced: Loaded<Priced | undefined>; changes: ChangesQuery; query: ViewProps["query"]; refine: ViewProps["refine"] }) {
  const { name, l, priced, changes, query, refine } = props;
  const runs = useLoad(live() ? () => api.experiments() : undefined, []);
  const after = useLoad(query.after ? () => api.glances([query.after!]) : undefined, [query.after]);
  const mine = runs.data?.experiments.find((e) => e.name === name);
  const others = (runs.data?.experiments ?? []).filter((e) => e.name !== name && e.program === mine?.program);
  const line = command("whatif", name, ...(changes.faster ?? []).flatMap((c) => ["--faster", c]), ...(changes.balance ?? []).flatMap((c) => ["--balance", c]), ...(changes.network ?? []).flatMap((c) => ["--network", c]));
  const answer = priced.data;
  const bars: { name: string; seconds: number; range?: number[]; colour: string }[] = [{ name: `before: ${name}`, seconds: l.base_seconds, colour: kindColour(0) }];
  if (answer) bars.push({ name: "what if", seconds: answer.new_seconds, range: answer.interval, colour: kindColour(2) });
  const came = after.data?.glances[0];
  if (query.after && came?.runtime != null) bars.push({ name: `after: ${came.name}`, seconds: came.runtime, colour: kindColour(1) });
  return (
    <>
      {priced.error && <p class="error" role="alert">{priced.error.message}</p>}
      {answer && <Words text={answer.words || `The run would take ${seconds(answer.new_seconds, 4)}, ${share(answer.gain)} less.`} small />}
      {others.length > 0 && (
        <div class="controls">
          <Choice label="After" value={query.after ?? ""} options={[{ value: "", label: "no run yet" }, ...others.map((e) => ({ value: e.name, label: e.name }))]} onChange={(v) => refine({ after: v })} />
        </div>
      )}
      <Picture title="Before, what if and after" command={line}>
        <Axis bars={bars} />
      </Picture>
      <Warnings list={answer?.notes} />
    </>
  );
}

/** Times on one axis that begins at nothing. */
function Axis({ bars }: { bars: { name: string; seconds: number; range?: number[]; colour: string }[] }) {
  const p = usePaint();
  const most = Math.max(...bars.map((b) => Math.max(b.seconds, b.range?.[1] ?? 0))) || 1;
  const [box, room] = useWidth();
  const [width, row] = [Math.max(240, Math.min(room, 720)), 34];
  const x = (s: number) => (s / most) * (width - 90);
  return (
    <div ref={box}>
      <Drawing width={width} height={bars.length * row} label={bars.map((b) => `${b.name} ${seconds(b.seconds, 4)}`).join(", ")}>
        {bars.map((b, i) => (
          <g key={b.name}>
            <text x="0" y={i * row + 11} font-size="12" fill={p.soft}>
              {brief(b.name, 60)}
            </text>
            <rect x="0" y={i * row + 15} width={x(b.seconds)} height="13" fill={b.colour} />
            {b.range && <line x1={x(b.range[0]!)} x2={x(b.range[1]!)} y1={i * row + 21.5} y2={i * row + 21.5} stroke={p.ink} stroke-width="2" />}
            <text x={Math.max(x(b.seconds), x(b.range?.[1] ?? 0)) + 6} y={i * row + 26} font-size="12" fill={p.ink}>
              {seconds(b.seconds, 4)}
            </text>
          </g>
        ))}
      </Drawing>
    </div>
  );
}

/** A change in words; a long name of its region is shortened in the middle. */
const spoken = (o: Opportunities["opportunities"][0], most: number): string => {
  const words = o.words.replaceAll("`", "");
  return o.region ? words.replace(o.region, brief(o.region, most)) : words;
};

function List({ l, take }: { l: Opportunities; take: (o: Opportunities["opportunities"][0]) => void }) {
  type Row = Opportunities["opportunities"][0];
  if (!l.opportunities.length) return <p class="note">Nothing that was tried would gain anything.</p>;
  const time = inOne(l.opportunities.map((o) => o.new_seconds), "s");
  const columns: Column<Row>[] = [
    { key: "change", head: "change", by: (o) => o.change, cell: (o) => (live() && settable(o.change) ? <button type="button" class="quiet" title={o.change} onClick={() => take(o)}>{spoken(o, 36)}</button> : <span title={o.change}>{spoken(o, 60)}</span>) },
    { key: "gain", head: "gain", by: (o) => o.gain, cell: (o) => <Bar value={o.gain} text={share(o.gain)} /> },
    { key: "new", head: "new time", csv: "new time (s)", right: true, by: (o) => o.new_seconds, cell: (o) => time(o.new_seconds) },
    { key: "after", head: "after the first", wide: true, right: true, by: (o) => o.gain_after_first, cell: (o) => (o.gain_after_first === null ? "–" : share(o.gain_after_first)) },
  ];
  return <Table label="Opportunities" rows={l.opportunities} columns={columns} rowKey={(o) => o.change} top={12} />;
}
