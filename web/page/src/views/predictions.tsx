// View 7: what was predicted and replayed, to choose from.
import { api } from "../api";
import { seconds } from "../format";
import { lastName } from "../names";
import { useLoad } from "../load";
import { link } from "../router";
import { Answer, Table } from "../ui";

export function Predictions() {
  const predictions = useLoad(() => api.predictions(), []);
  const simulations = useLoad(() => api.simulations(), []);
  return (
    <>
      <h1>Predictions</h1>
      <Answer of={predictions} wait="Reading the store…">
        {(data) =>
          data.predictions.length === 0 ? (
            <p class="note">
              No prediction is kept in this store. <code>auspex predict</code> makes one.
            </p>
          ) : (
            <Table
              label="Predictions"
              rows={data.predictions}
              rowKey={(r) => r.name}
              columns={[
                {
                  key: "name",
                  head: "prediction",
                  by: (r) => r.name,
                  cell: (r) => <a href={link(["predictions", r.name])}>{r.name}</a>,
                },
                { key: "program", head: "program", by: (r) => r.program, cell: (r) => r.program },
                { key: "np", head: "processes", cell: (r) => r.np.join(", ") },
                { key: "opt", head: "levels", wide: true, cell: (r) => r.opt.join(", ") },
                { key: "platforms", head: "platforms", wide: true, cell: (r) => r.platforms.map(lastName).join(", ") },
                {
                  key: "created",
                  head: "made",
                  wide: true,
                  by: (r) => r.created,
                  cell: (r) => r.created.slice(0, 16).replace("T", " "),
                },
              ]}
            />
          )
        }
      </Answer>
      <h2>Replays</h2>
      <Answer of={simulations} wait="Reading the store…">
        {(data) =>
          data.simulations.length === 0 ? (
            <p class="note">
              No replay is kept in this store. <code>auspex simulate --name NAME</code> keeps one.
            </p>
          ) : (
            <Table
              label="Replays"
              rows={data.simulations}
              rowKey={(r) => r.name}
              columns={[
                {
                  key: "name",
                  head: "replay",
                  by: (r) => r.name,
                  cell: (r) => <a href={link(["simulations", r.name])}>{r.name}</a>,
                },
                {
                  key: "ranks",
                  head: "ranks",
                  right: true,
                  by: (r) => r.ranks,
                  cell: (r) => r.ranks.toLocaleString("en"),
                },
                {
                  key: "time",
                  head: "simulated",
                  right: true,
                  by: (r) => r.simulated_seconds,
                  cell: (r) => seconds(r.simulated_seconds, 4),
                },
                { key: "platform", head: "platform", by: (r) => r.platform, cell: (r) => r.platform },
              ]}
            />
          )
        }
      </Answer>
    </>
  );
}
