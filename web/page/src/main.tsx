// The page's beginning.
import { render } from "preact";
import { App } from "./app";
import { copyWhole } from "./region";
import { apply, chosen } from "./theme";
import "./theme.css";
import "./views.css";

apply(chosen());
copyWhole();
const root = document.getElementById("app")!;
root.textContent = "";
render(<App />, root);
