// Light or dark: what the system says, unless the reader chose.
// Pictures are painted with these values too, so that what is saved stands alone.
import { useEffect, useState } from "preact/hooks";

export type Choice = "system" | "light" | "dark";

export interface Paint {
  dark: boolean;
  ink: string;
  soft: string;
  faint: string;
  line: string;
  paper: string;
  raised: string;
  accent: string;
  warn: string;
}

const light: Paint = {
  dark: false,
  ink: "#1c2127",
  soft: "#5a6470",
  faint: "#7d8792",
  line: "#dcdfe3",
  paper: "#fcfbf9",
  raised: "#ffffff",
  accent: "#0b5d8a",
  warn: "#a4480b",
};
const dark: Paint = {
  dark: true,
  ink: "#e6e8ea",
  soft: "#a3adb8",
  faint: "#7f8a96",
  line: "#343b43",
  paper: "#14181c",
  raised: "#1b2026",
  accent: "#6bb8e8",
  warn: "#f0a56a",
};

const key = "auspex-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const printed = matchMedia("print");
const changed = "auspex-theme-changed";

export function chosen(): Choice {
  try {
    const kept = localStorage.getItem(key);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system"; // storage is closed to files opened from disk in some browsers
  }
}

export function choose(choice: Choice): void {
  try {
    if (choice === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  } catch {
    // the choice then lasts as long as the page
  }
  apply(choice);
}

export function apply(choice: Choice): void {
  const root = document.documentElement;
  if (choice === "system") delete root.dataset.theme;
  else root.dataset.theme = choice;
  dispatchEvent(new Event(changed));
}

export function paint(): Paint {
  const said = document.documentElement.dataset.theme;
  return (said ? said === "dark" : system.matches) && !printed.matches ? dark : light;
}

/** The present colours; the component is drawn again when they change. */
export function usePaint(): Paint {
  const [now, setNow] = useState(paint);
  useEffect(() => {
    const follow = () => setNow(paint());
    addEventListener(changed, follow);
    system.addEventListener("change", follow);
    printed.addEventListener("change", follow);
    return () => {
      removeEventListener(changed, follow);
      system.removeEventListener("change", follow);
      printed.removeEventListener("change", follow);
    };
  }, []);
  return now;
}
