import { Component, type ReactNode } from "react";
import { problemText } from "../api/client.ts";
import { Button } from "./button.tsx";

/** What can't be drawn costs itself, not the page around it. */
export class Guard extends Component<{ children: ReactNode }, { problem: string }> {
  override state = { problem: "" };

  static getDerivedStateFromError(error: unknown) {
    return { problem: problemText(error) };
  }

  override render() {
    if (this.state.problem === "") return this.props.children;
    return (
      <div className="notice bad" role="alert">
        <span>This can't be shown: {this.state.problem}</span>
        <Button onClick={() => location.reload()}>Load the page again</Button>
      </div>
    );
  }
}
