import { Component, type ReactNode } from "react";
import { problemText } from "../api/client.ts";

/** What can't be drawn costs itself, not the page around it. */
export class Guard extends Component<{ children: ReactNode }, { problem: string }> {
  override state = { problem: "" };

  static getDerivedStateFromError(error: unknown) {
    return { problem: problemText(error) };
  }

  override render() {
    if (this.state.problem === "") return this.props.children;
    return <p className="notice bad">This can't be shown: {this.state.problem}</p>;
  }
}
