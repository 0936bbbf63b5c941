import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The page that `cox serve` hands out: static files beside the program, one chunk per screen. */
export default defineConfig({
  root: "web",
  plugins: [react(), icons()],
  build: {
    target: "es2023",
    outDir: "../dist/web",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content policy allows no data: addresses
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 400,
    license: { fileName: "bundled.json" }, // read by scripts/package
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});

/** The tab's icon, plain and with a number: the content policy leaves no way to draw it in the page. */
function icons(): Plugin {
  const counts = ["", "1", "2", "3", "4", "5", "6", "7", "8", "9", "+"];
  return {
    name: "icons",
    generateBundle() {
      for (const count of counts) {
        const name = count === "" ? "icon" : `icon-${count === "+" ? "more" : count}`;
        this.emitFile({ type: "asset", fileName: `${name}.svg`, source: icon(count) });
      }
    },
  };
}

function icon(count: string): string {
  const boat = `<rect width="32" height="32" rx="7" fill="#0b6e7f"/><path d="M6 18h20c-1.5 5-5 7-10 7s-8.5-2-10-7z" fill="#fff"/><path d="M15 6v10H8zM17 8v8h6z" fill="#fff" opacity=".85"/>`;
  const badge =
    count === ""
      ? ""
      : `<circle cx="22" cy="10" r="10" fill="#d97706"/><text x="22" y="15.5" font-family="sans-serif" font-size="15" font-weight="700" text-anchor="middle" fill="#fff">${count}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${boat}${badge}</svg>`;
}
