// The frame around the views: where we are, where we can go, light or dark.
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, live } from "./api";
import { useLoad } from "./load";
import { seconds } from "./format";
import { link, refine, useRoute, type Route } from "./router";
import { choose, chosen, type Choice } from "./theme";
import { Bottlenecks } from "./views/bottlenecks";
import { Compare } from "./views/compare";
import { Experiment, sizeOf } from "./views/experiment";
import { Heat } from "./views/heat";
import { Kinds } from "./views/kinds";
import { Prediction } from "./views/prediction";
import { Predictions } from "./views/predictions";
import { Regions } from "./views/regions";
import { Report } from "./views/report";
import { Simulation } from "./views/simulation";
import { Similar } from "./views/similar";
import { Source } from "./views/source";
import { Store } from "./views/store";
import { Studies } from "./views/studies";
import { Study } from "./views/study";
import { Training } from "./views/training";
import { Trace } from "./views/trace";
import { Tree } from "./views/tree";
import { WhatIf } from "./views/whatif";
import { WordsView } from "./views/words";
import type { ViewProps } from "./view";

interface Tab {
  key: string;
  label: string;
  view: (props: ViewProps) => preact.JSX.Element | null;
  /** Needs a trace that the experiment kept. */
  traced?: boolean;
  /** Needs what the traces of a training job tell. */
  training?: boolean;
  /** Says nothing of a profile without times. */
  timed?: boolean;
  /** Compares units: says nothing of one. */
  several?: boolean;
}

const tabs: Tab[] = [
  { key: "", label: "Overview", view: Experiment },
  { key: "regions", label: "Regions", view: Regions },
  { key: "tree", label: "Call tree", view: Tree },
  { key: "heat", label: "Heat map", view: Heat },
  { key: "training", label: "Training", view: Training, training: true },
  { key: "trace", label: "Timeline", view: Trace, traced: true },
  { key: "whatif", label: "What if", view: WhatIf, traced: true },
  { key: "kinds", label: "Kinds", view: Kinds, timed: true, several: true },
  { key: "words", label: "Words", view: WordsView, timed: true },
  { key: "bottlenecks", label: "Bottlenecks", view: Bottlenecks, timed: true },
  { key: "similar", label: "Similarity", view: Similar, timed: true, several: true },
  { key: "source", label: "Source", view: Source },
];

// What the head leads to, and the first words of addresses that belong to it.
const rooms: [string, string, ...string[]][] = [
  ["Experiments", "#/", "", "e", "compare"],
  ["Predictions", "#/predictions", "predictions", "simulations"],
  ["Studies", "#/studies", "studies"],
];

export function App() {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const place = route.path.join("/");
  const first = useRef(true);
  useEffect(() => {
    document.title = route.path.slice(1).join(" · ") ? `${route.path.slice(1).join(" · ")} – auspex` : "auspex";
    if (!first.current) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    first.current = false;
  }, [place]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(e) => {
          e.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the answer
      </a>
      <header class="top">
        <div>
          <a class="brand" href="#/">
            auspex
          </a>
          {live() && (
            <nav aria-label="Main">
              {rooms.map(([label, href, ...of]) => (
                <a key={href} href={href} aria-current={of.includes(route.path[0] ?? "") ? "page" : undefined}>
                  {label}
                </a>
              ))}
            </nav>
          )}
          <ThemeSwitch />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Stands key={place}>
          <Body route={route} />
        </Stands>
      </main>
      <footer>
        <About />
      </footer>
    </>
  );
}

/** A view that fails says so, and the rest of the page lives on. */
class Stands extends Component<{ children: ComponentChildren }, { failed?: Error }> {
  static getDerivedStateFromError(failed: Error) {
    return { failed };
  }
  override componentDidCatch(failed: Error) {
    console.error(failed);
  }
  render() {
    return this.state.failed ? (
      <p class="error" role="alert">
        This view cannot be drawn: {this.state.failed.message}. That is a defect of auspex; the other views and the commands still work.
      </p>
    ) : (
      this.props.children
    );
  }
}

function Body({ route }: { route: Route }) {
  if (!live()) return <Report />;
  const [room, ...rest] = route.path;
  const common = { query: route.query, refine };
  switch (room) {
    case undefined:
      return <Store {...common} />;
    case "e":
      if (!rest[0] || rest.length > 2 || !tabs.some((t) => t.key === (rest[1] ?? ""))) break;
      return <OneExperiment key={rest[0]} name={rest[0]} tab={rest[1] ?? ""} {...common} />;
    case "compare":
      return <Compare key={rest.join("/")} names={rest} {...common} />;
    case "predictions":
      return rest[0] ? <Prediction key={rest[0]} name={rest[0]} {...common} /> : <Predictions />;
    case "studies":
      return rest[0] ? <Study key={rest[0]} name={rest[0]} /> : <Studies />;
    case "simulations":
      return <Simulation key={rest[0]} name={rest[0] ?? ""} {...common} />;
  }
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        The address may be cut off or misspelt. {room === "e" && rest[0] && <><a href={link(["e", rest[0]])}>{rest[0]}</a> · </>}<a href="#/">All experiments</a>
      </p>
    </>
  );
}

function OneExperiment({ tab, ...props }: ViewProps & { tab: string }) {
  const current = tabs.find((t) => t.key === tab)!;
  const summary = useLoad(() => api.experiment(props.name), [props.name]);
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the tabs scroll; the present one is in sight.
    const here = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (here) bar.current!.scrollLeft = here.offsetLeft - (bar.current!.clientWidth - here.offsetWidth) / 2 - bar.current!.offsetLeft;
  }, [tab, summary.data?.traced, summary.data?.training]);
  const s = summary.data;
  const shown = tabs.filter(
    (t) => t === current || ((!t.traced || s?.traced) && (!t.training || s?.training) && (!t.timed || !s || s.time_metric) && (!t.several || !s || s.units > 1)),
  );
  return (
    <>
      <div class="title">
        <h1>{props.name}</h1>
        {summary.data && <p class="size">{[sizeOf(summary.data), summary.data.runtime === null ? "" : seconds(summary.data.runtime, 4), summary.data.program].filter(Boolean).join(" · ")}</p>}
      </div>
      <nav class="tabs" ref={bar} aria-label={`Views of ${props.name}`}>
        {shown.map((t) => (
          <a
            key={t.key}
            href={link(["e", props.name, ...(t.key ? [t.key] : [])])}
            aria-current={t === current ? "page" : undefined}
          >
            {t.label}
          </a>
        ))}
      </nav>
      <current.view key={current.key} {...props} />
    </>
  );
}

function ThemeSwitch() {
  const [choice, setChoice] = useState(chosen());
  return (
    <label class="field theme">
      <span>Theme</span>
      <select
        value={choice}
        onChange={(e) => {
          const next = e.currentTarget.value as Choice;
          choose(next);
          setChoice(next);
        }}
      >
        <option value="system">system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}

function About() {
  const about = useLoad(() => api.about(), []);
  if (!about.data) return null;
  return (
    <p>
      auspex {about.data.version}
      {live() ? (
        <>
          , store <code>{about.data.store}</code>
        </>
      ) : (
        ""
      )}
    </p>
  );
}
