// The diagnosis is asked for by several views and may take a while: one
// question a name, its progress told in words.
import { useEffect, useState } from "preact/hooks";
import { api, type Diagnosis, type DiagnoseQuery } from "../api";
import { useLoad, type Loaded } from "../load";

export function useDiagnosis(name: string, q: DiagnoseQuery = {}): Loaded<Diagnosis> & { stage: string } {
  const [stage, setStage] = useState("Comparing the units…");
  const key = JSON.stringify(q);
  useEffect(() => setStage("Comparing the units…"), [name, key]);
  const loaded = useLoad(
    (signal) =>
      api.diagnose(
        name,
        q,
        (p) => setStage(`${p.stage.charAt(0).toUpperCase()}${p.stage.slice(1)}… ${p.seconds.toFixed(0)} s`),
        signal,
      ),
    [name, key],
  );
  return { ...loaded, stage };
}
