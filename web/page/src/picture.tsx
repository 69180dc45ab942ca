// A picture with its caption, its ways to be kept, and the command that prints
// the same in a terminal.
import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { live } from "./api";
import { download, fileName } from "./csv";
import { open, pngOf, svgOf, type Instance, type Option } from "./chart";
import { paint, usePaint } from "./theme";

interface Saver {
  svg(): string;
  png(): Promise<Blob>;
}

const Keep = createContext<{ current: Saver | undefined }>({ current: undefined });

/** Tells the picture around how to save what is drawn here. */
export function useSaver(make: () => Saver): void {
  const keep = useContext(Keep);
  keep.current = make();
}

interface PictureProps {
  title: string;
  /** The command line that prints this. */
  command: string;
  note?: ComponentChildren;
  /** What can be done with it on the screen. */
  hint?: string;
  controls?: ComponentChildren;
  children: ComponentChildren;
}

export function Picture({ title, command, note, hint, controls, children }: PictureProps) {
  const saver = useRef<Saver | undefined>(undefined);
  const [failed, setFailed] = useState("");
  const file = fileName(title);
  const save = (kind: "svg" | "png") => async () => {
    try {
      setFailed("");
      if (!saver.current) return;
      const blob =
        kind === "svg" ? new Blob([saver.current.svg()], { type: "image/svg+xml" }) : await saver.current.png();
      download(`${file}.${kind}`, blob);
    } catch (e) {
      setFailed(e instanceof Error ? e.message : String(e));
    }
  };
  return (
    <figure class="picture">
      <figcaption>
        <h3>{title}</h3>
        <span class="keep">
          <button type="button" class="quiet" onClick={save("svg")} aria-label={`Save "${title}" as SVG`}>
            save SVG
          </button>
          <button type="button" class="quiet" onClick={save("png")} aria-label={`Save "${title}" as PNG`}>
            save PNG
          </button>
        </span>
      </figcaption>
      {controls && <div class="controls">{controls}</div>}
      <Keep.Provider value={saver}>{children}</Keep.Provider>
      {failed && (
        <p class="error" role="alert">
          {failed}
        </p>
      )}
      {note && <p class="note">{note}</p>}
      {hint && live() && <p class="note hint">{hint}</p>}
      <Command line={command} />
    </figure>
  );
}

/** The command that prints this, to be copied. */
export function Command({ line }: { line: string }) {
  const [copied, setCopied] = useState(false);
  const text = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(line);
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    } catch {
      // Without leave to use the clipboard, select the text for the reader.
      if (text.current) getSelection()?.selectAllChildren(text.current);
    }
  };
  return (
    <div class="command">
      <span aria-hidden="true">$ </span>
      <code ref={text}>{line}</code>
      <button type="button" class="quiet" onClick={copy} aria-label={`Copy the command: ${line}`}>
        {copied ? "copied" : "copy"}
      </button>
    </div>
  );
}

interface ChartProps {
  option: Option;
  height: number;
  label: string;
  canvas?: boolean;
  onClick?: (params: {
    dataIndex: number;
    seriesName?: string;
    seriesIndex?: number;
    name: string;
    data: unknown;
  }) => void;
  onZoom?: (chart: Instance) => void;
}

/** One ECharts picture that fills the width it has. */
export function Chart({ option, height, label, canvas = false, onClick, onZoom }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<Instance | undefined>(undefined);
  const click = useRef(onClick);
  const zoom = useRef(onZoom);
  click.current = onClick;
  zoom.current = onZoom;
  usePaint();

  useEffect(() => {
    const c = (chart.current = open(box.current!, canvas));
    c.on("click", (params) => click.current?.(params as never));
    c.on("datazoom", () => zoom.current?.(c));
    const watch = new ResizeObserver(() => c.resize());
    watch.observe(box.current!);
    return () => {
      watch.disconnect();
      c.dispose();
    };
  }, [canvas]);
  useEffect(() => chart.current?.setOption(option, { notMerge: true }), [option, canvas]);

  useSaver(() => {
    const size = () => [box.current?.clientWidth || 800, box.current?.clientHeight || height] as const;
    return {
      svg: () => svgOf(option, ...size(), paint()),
      png: () => pngOf(option, ...size(), paint()),
    };
  });
  return <div ref={box} class="chart" role="img" aria-label={label} style={{ height: `${height}px` }} />;
}

/** A picture drawn by hand in SVG; colours are attributes, so it can be saved as it stands. */
export function Drawing(props: {
  width: number;
  height: number;
  label: string;
  children: ComponentChildren;
  class?: string;
}) {
  const el = useRef<SVGSVGElement>(null);
  useSaver(() => ({
    svg: () => standalone(el.current!),
    png: () => rasterised(standalone(el.current!), props.width, props.height),
  }));
  return (
    <svg
      ref={el}
      class={props.class ?? "drawing"}
      viewBox={`0 0 ${props.width} ${props.height}`}
      width={props.width}
      height={props.height}
      role="img"
      aria-label={props.label}
      font-family='system-ui, "Noto Sans", "DejaVu Sans", sans-serif'
      font-size="12"
    >
      {props.children}
    </svg>
  );
}

function standalone(el: SVGSVGElement): string {
  const copy = el.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", paint().paper);
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

export async function rasterised(svg: string, width: number, height: number): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    await new Promise((done, fail) => {
      image.onload = done;
      image.onerror = () => fail(new Error("the picture could not be drawn"));
      image.src = url;
    });
    const canvas = document.createElement("canvas");
    canvas.width = 2 * width;
    canvas.height = 2 * height;
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("this browser cannot write PNG");
    return blob;
  } finally {
    URL.revokeObjectURL(url);
  }
}
