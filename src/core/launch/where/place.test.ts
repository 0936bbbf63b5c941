import { describe, expect, test } from "vitest";
import { messageOf } from "../../../contract/errors.ts";
import { Profile } from "../../agents/profiles/profile.ts";
import { AgentDefinition } from "../../agents/registry/definition-schema.ts";
import { choosePlace, type PlaceWishes } from "./place.ts";

const HOME = "/nowhere/at/all";
const choose = (wishes: PlaceWishes, agent: object = {}, profile?: object) =>
  choosePlace(
    wishes,
    AgentDefinition.parse({ id: "mine", name: "Mine", cmd: ["mine"], ...agent }),
    profile && Profile.parse({ agent: "mine", ...profile }),
    HOME,
  );

describe("where an agent lives", () => {
  const image = { image: "me/agent" };
  const cases: Record<string, [wishes: PlaceWishes, agent: object, profile: object, expected: string]> = {
    "here, if nobody says anything": [{}, {}, {}, "local"],
    "as its profile says": [{}, {}, { on: "sandbox" }, "sandbox"],
    "as the command line says, over the profile": [{ on: "local" }, {}, { on: "sandbox" }, "local"],
    "in its image, if it has one": [{}, image, {}, "container me/agent:latest"],
    "in an image without a command": [{}, { ...image, cmd: [] }, {}, "container me/agent:latest"],
    "in the profile's image, over its own": [{}, image, { image: "other:2" }, "container other:2"],
    "here with an image, where that is wanted": [{ on: "local" }, image, {}, "local"],
    "in a sandbox with an image, where that is wanted": [{ on: "sandbox" }, image, {}, "sandbox"],
  };
  test.each(Object.entries(cases))("%s", (_, [wishes, agent, profile, expected]) => {
    const { on, isolated } = choose(wishes, agent, profile);
    expect([on, isolated?.image].filter(Boolean).join(" ")).toBe(expected);
  });

  test("its network is on, unless the profile or the command line takes it away", () => {
    expect(choose({ on: "sandbox" }).network).toBe(true);
    expect(choose({}, {}, { on: "sandbox", network: "off" }).network).toBe(false);
    expect(choose({ network: "on" }, {}, { on: "sandbox", network: "off" }).network).toBe(true);
    expect(choose({ on: "sandbox", network: "off" }).network).toBe(false);
  });

  test("our programs are where it finds them", () => {
    expect(choose({}, image).own).toEqual({ node: "node", package: "/opt/coxswain" });
    expect(choose({ on: "sandbox" }).own.node).toBe(process.execPath);
  });
});

describe("refused", () => {
  const cases: Record<string, [wishes: PlaceWishes, agent: object, profile: object, message: RegExp]> = {
    "a container without an image": [
      { on: "container" },
      {},
      {},
      /agent mine names no image; set image in agents.json/,
    ],
    "no network here": [{ network: "off" }, {}, {}, /--network off: .* add --on sandbox/],
    "the person's own home": [
      { on: "sandbox" },
      {},
      { home: "own" },
      /home own: in a sandbox an agent never has your home/,
    ],
    "a model behind an API": [{ on: "sandbox" }, { protocol: "rest", cmd: [] }, {}, /mine has no program/],
  };
  test.each(Object.entries(cases))("%s", (_, [wishes, agent, profile, message]) => {
    const said = () => {
      try {
        return choose(wishes, agent, profile);
      } catch (error) {
        return messageOf(error);
      }
    };
    expect(said()).toMatch(message);
  });
});
