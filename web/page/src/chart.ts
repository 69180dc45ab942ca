// ECharts, with the parts this page uses and no others, in its colours.
//
//  1. A view builds an option (a plain object) with the colours of `Paint`.
//  2. <Chart> in picture.tsx shows it: SVG, or canvas where there are many marks.
//  3. `svgOf` and `pngOf` draw the same option once more for saving.
import * as echarts from "echarts/core";
import { BarChart, CustomChart, GraphChart, LineChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent,
  DataZoomInsideComponent,
  DataZoomSliderComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TooltipComponent,
} from "echarts/components";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";
import type { Paint } from "./theme";

echarts.use([
  BarChart,
  CustomChart,
  GraphChart,
  LineChart,
  ScatterChart,
  AriaComponent,
  DataZoomInsideComponent,
  DataZoomSliderComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TooltipComponent,
  CanvasRenderer,
  SVGRenderer,
]);

export type Option = echarts.EChartsCoreOption;
export type Instance = echarts.ECharts;

// Single quotes: ECharts writes this into an attribute without escaping it.
const family = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif";

/** What all pictures share. */
export function base(p: Paint, label: string): Option {
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily: family, color: p.soft, fontSize: 12 },
    aria: { enabled: true, label: { enabled: true, description: label } },
    grid: { left: 8, right: 16, top: 24, bottom: 8, containLabel: true },
    tooltip: {
      confine: true,
      appendTo: undefined,
      backgroundColor: p.raised,
      borderColor: p.line,
      textStyle: { color: p.ink, fontFamily: family, fontSize: 12 },
      transitionDuration: 0,
    },
  };
}

/** An axis without ornament. */
export function axis(p: Paint, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    axisLine: { show: true, lineStyle: { color: p.line } },
    axisTick: { show: false },
    axisLabel: { color: p.soft, fontSize: 12, hideOverlap: true },
    splitLine: { show: false },
    nameTextStyle: { color: p.soft, fontSize: 12 },
    nameGap: 24,
    ...more,
  };
}

/** A tooltip made of text nodes: names from profiles are never read as markup. */
export function tip(title: string, rows: [string, string][] = []): HTMLElement {
  const box = document.createElement("div");
  box.className = "tip";
  const head = box.appendChild(document.createElement("strong"));
  head.textContent = title;
  for (const [name, value] of rows) {
    const row = box.appendChild(document.createElement("div"));
    row.appendChild(document.createElement("span")).textContent = name;
    row.appendChild(document.createElement("b")).textContent = value;
  }
  return box;
}

export function open(el: HTMLElement, canvas: boolean): Instance {
  return echarts.init(el, null, { renderer: canvas ? "canvas" : "svg" });
}

/** The picture as an SVG document of its own. */
export function svgOf(option: Option, width: number, height: number, p: Paint): string {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
  chart.setOption({ ...option, backgroundColor: p.paper });
  const text = chart.renderToSVGString();
  chart.dispose();
  return text;
}

/** The picture in twice its size on screen. */
export async function pngOf(option: Option, width: number, height: number, p: Paint): Promise<Blob> {
  const canvas = document.createElement("canvas");
  const chart = echarts.init(canvas, null, { renderer: "canvas", width, height, devicePixelRatio: 2 });
  chart.setOption({ ...option, backgroundColor: p.paper });
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  chart.dispose();
  if (!blob) throw new Error("this browser cannot write PNG");
  return blob;
}
