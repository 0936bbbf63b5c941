/**
 * The page allows no inline styles, and the terminal writes its own into `<style>` elements. What it writes goes into style
 * sheets made by script instead, which are allowed.
 */
export function withSheets(open: () => void): () => void {
  const sheets: CSSStyleSheet[] = [];
  const make = document.createElement.bind(document);
  const create = (name: string, options?: ElementCreationOptions) => {
    const element = make(name, options);
    if (name === "style") sheets.push(sheetFor(element));
    return element;
  };
  document.createElement = create;
  try {
    open();
  } finally {
    document.createElement = make;
  }
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  };
}

function sheetFor(element: HTMLElement): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const set = (text: string) => {
    sheet.replaceSync(text);
  };
  Object.defineProperty(element, "textContent", { set, get: () => "" });
  return sheet;
}
