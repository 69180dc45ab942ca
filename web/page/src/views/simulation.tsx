// View 7, the replay behind a prediction: what each rank did when, and how the
// platform's links were loaded.
import { api, type RankTime, type Simulation as Replayed } from "../api";
import { command, inOne, plural, quantity, seconds, share } from "../format";
import { useLoad } from "../load";
import { Answer, Bar, Table, Warnings, Words, type Column } from "../ui";
import type { ViewProps } from "../view";
import { Gantt } from "./gantt";
import { PlatformGraph } from "./platform";

export function Simulation({ name, query, refine }: ViewProps) {
  const found = useLoad(() => api.simulation(name), [name]);
  return (
    <>
      <div class="title">
        <h1>{name}</h1>
        <p>replay</p>
      </div>
      <Answer of={found} wait="Reading the replay…">
        {(s) => (
          <>
            <Words text={inWords(s)} />
            <Warnings list={s.notes} />
            <Gantt s={s} query={query} refine={refine} />
            <PlatformGraph s={s} command={command("show", s.name)} />
            <div class="columns">
              <section>
                <h2>Busiest links</h2>
                <Links s={s} />
              </section>
              <section>
                <h2>Ranks</h2>
                <Ranks s={s} />
              </section>
            </div>
          </>
        )}
      </Answer>
    </>
  );
}

const total = (r: RankTime) => r.compute + r.sleep + r.send + r.receive + r.wait + r.collective;

function inWords(s: Replayed): string {
  const all = s.ranks.reduce((sum, r) => sum + total(r), 0);
  const compute = s.ranks.reduce((sum, r) => sum + r.compute, 0);
  const busiest = [...s.links].sort((a, b) => b.utilisation - a.utilisation)[0];
  return (
    `${plural(s.ranks.length, "rank")} take ${seconds(s.simulated_seconds, 4)} on \`${s.platform}\`.` +
    (all > 0
      ? ` ${share(compute / all)} of the ranks’ time is computation, ${share(1 - compute / all)} communication and waiting.`
      : "") +
    (busiest && busiest.utilisation > 0
      ? ` The busiest link is \`${busiest.name}\`, busy ${share(busiest.utilisation)} of the time.`
      : "")
  );
}

function Links({ s }: { s: Replayed }) {
  const columns: Column<Replayed["links"][0]>[] = [
    { key: "name", head: "link", by: (l) => l.name, cell: (l) => l.name },
    { key: "bytes", head: "carried", csv: "carried (B)", right: true, by: (l) => l.bytes, cell: (l) => quantity(l.bytes, "B") },
    { key: "utilisation", head: "busy", by: (l) => l.utilisation, cell: (l) => <Bar value={l.utilisation} /> },
  ];
  return <Table label="Links" rows={s.links} columns={columns} rowKey={(l) => l.name} sort="-utilisation" top={12} />;
}

function Ranks({ s }: { s: Replayed }) {
  const rows = s.ranks.map((r, rank) => ({ ...r, rank }));
  const time = inOne(rows.map((r) => r.finish), "s");
  const columns: Column<(typeof rows)[0]>[] = [
    { key: "rank", head: "rank", right: true, by: (r) => r.rank, cell: (r) => r.rank },
    { key: "host", head: "host", wide: true, by: (r) => s.hosts[r.rank], cell: (r) => s.hosts[r.rank] },
    { key: "finish", head: "finish", csv: "finish (s)", right: true, by: (r) => r.finish, cell: (r) => time(r.finish) },
    {
      key: "compute",
      head: "computing",
      csv: "computing (s)",
      by: (r) => r.compute,
      cell: (r) => <Bar value={total(r) ? r.compute / total(r) : null} />,
    },
  ];
  return <Table label="Ranks" rows={rows} columns={columns} rowKey={(r) => String(r.rank)} top={12} />;
}
