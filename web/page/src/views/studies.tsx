// View 8: the studies of many points, to choose from.
import { api } from "../api";
import { useLoad } from "../load";
import { link } from "../router";
import { Answer, Table } from "../ui";

export function Studies() {
  const found = useLoad(() => api.studies(), []);
  return (
    <>
      <h1>Studies</h1>
      <Answer of={found} wait="Reading the store…">
        {({ studies }) =>
          studies.length === 0 ? (
            <p class="note">
              This store has no study. <code>auspex sweep STUDY.toml</code> does one: many predictions, replays or runs over a grid.
            </p>
          ) : (
            <Table
              label="Studies"
              rows={studies}
              rowKey={(r) => r.name}
              columns={[
                { key: "name", head: "study", by: (r) => r.name, cell: (r) => <a href={link(["studies", r.name])}>{r.name}</a> },
                { key: "kind", head: "of", by: (r) => r.kind, cell: (r) => r.kind },
                { key: "points", head: "points", right: true, by: (r) => r.points, cell: (r) => r.points.toLocaleString("en") },
                { key: "axes", head: "over", wide: true, by: (r) => r.axes.map((a) => a.name).join(", "), cell: (r) => r.axes.map((a) => a.name).join(", ") },
              ]}
            />
          )
        }
      </Answer>
    </>
  );
}
