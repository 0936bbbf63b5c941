import axe from "axe-core";
import type { Page } from "playwright-core";

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * What a person with another sight or hand would stumble over; of these rules, or of all. Looked for in a world of the browser's
 * own: the page's policy allows no script but its own.
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await session.send("Page.getFrameTree");
    const world = { frameId: frameTree.frame.id, worldName: "axe" };
    const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", world);
    await session.send("Runtime.evaluate", { contextId, expression: axe.source });
    const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
    const expression = `axe.run(document, ${JSON.stringify(options)})`;
    const given = { contextId, expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", given);
    if (exceptionDetails !== undefined) throw new Error(`axe: ${exceptionDetails.text}`);
    const { violations: found } = result.value as { violations: Violation[] };
    return found
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}: ${nodes[0]?.failureSummary}`);
  } finally {
    await session.detach();
  }
}
