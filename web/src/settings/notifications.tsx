import { useState } from "react";
import { server } from "../api/client.ts";
import { useApi } from "../api/query.ts";
import { ago } from "../base/times.ts";
import { ask } from "../ui/ask.tsx";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/parts.tsx";
import { Pill } from "../ui/pill.tsx";
import { attempt } from "../ui/toast.tsx";

type Channel = "webhook" | "desktop" | "command";
const says: Readonly<Record<string, string>> = {
  webhook: "A POST to an address of yours: chat, pager, phone.",
  desktop: "A message on the desktop of the server's machine.",
  command: "A program of yours, with the message on its stdin.",
};

/** How people are told who don't look at this page. */
export function Notifications() {
  const answer = useApi("GET /notifications", {});
  const [tested, setTested] = useState("");
  const set = async (channel: Channel, on: boolean) => {
    const body: { on: boolean; url?: string; command?: string } = { on };
    if (on && channel !== "desktop") {
      const given = await ask({
        title: `Tell me by ${channel}`,
        text: says[channel] ?? "",
        yes: "Switch on",
        input:
          channel === "webhook"
            ? { label: "Address", placeholder: "https://…", required: true, line: "url" }
            : { label: "Command", required: true, line: "text" },
      });
      if (given === undefined) return;
      if (channel === "webhook") body.url = given;
      else body.command = given;
    }
    await attempt(server.call("PUT /notifications/{channel}", { params: { channel }, body }));
    answer.reload();
  };
  const test = async () => {
    const sending = server.call("POST /notifications/test");
    await attempt(
      sending.then(({ items }) =>
        setTested(
          items.length === 0
            ? "No channel is on."
            : items.map(({ channel, ok, error }) => `${channel}: ${ok ? "sent" : error}`).join("; "),
        ),
      ),
    );
  };
  return (
    <Loaded answer={answer}>
      {({ channels, waiting, failed }) => (
        <>
          <div className="panel">
            {channels.map(({ channel, on, detail }) => (
              <div key={channel} className="row wrap panel-body">
                <div className="grow">
                  <b>{channel}</b> <Pill tone={on ? "good" : "calm"}>{on ? "on" : "off"}</Pill>
                  <div>
                    <small>{on && detail !== "" ? detail : says[channel]}</small>
                  </div>
                </div>
                <Button onClick={() => void set(channel, !on)}>{on ? "Switch off" : "Switch on…"}</Button>
              </div>
            ))}
          </div>
          <div className="row wrap">
            <Button onClick={() => void test()}>Send a test message</Button>
            <span role="status">{tested}</span>
            {waiting > 0 && <span className="muted">{waiting} waiting to be sent</span>}
          </div>
          {failed.map(({ channel, title, error, at }) => (
            <p key={at + title} className="notice bad">
              {channel}: {title}: {error} ({ago(at, Date.now())})
            </p>
          ))}
        </>
      )}
    </Loaded>
  );
}
