/** Only these lead anywhere. */
export function safeHref(href: string): string | undefined {
  try {
    const { protocol, href: whole } = new URL(href);
    return ["http:", "https:", "mailto:"].includes(protocol) ? whole : undefined;
  } catch {
    return undefined; // relative: there is nothing of the agent's below our own address
  }
}
