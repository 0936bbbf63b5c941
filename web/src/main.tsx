import "./style/base.css";
import "./style/controls.css";
import "./style/shell.css";
import { createRoot } from "react-dom/client";
import { enter } from "./api/who.ts";
import { listenForKeys } from "./base/keys.ts";
import { showTheme } from "./base/theme.ts";
import { App } from "./shell/app.tsx";

showTheme();
listenForKeys();
void enter();
const root = document.getElementById("page");
if (root !== null) createRoot(root).render(<App />);
