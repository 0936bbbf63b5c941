import { describe, expect, test } from "vitest";
import type { NetworkPolicy } from "../../kube/objects.ts";
import { stands } from "./fence-keeper.ts";
import { isCidr, networkPolicyOf, resolverOf } from "./network-policy.ts";

describe("the policy around agents", () => {
  const pods = (namespace: string, labels: Record<string, string>) => ({
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    podSelector: { matchLabels: labels },
  });
  const ports = [
    { protocol: "UDP", port: 53 },
    { protocol: "TCP", port: 53 },
  ];

  test.each([
    ["by default the cluster's resolver", undefined, [pods("kube-system", { "k8s-app": "kube-dns" })]],
    [
      "another one by label",
      ["dns/app.kubernetes.io/name=unbound"],
      [pods("dns", { "app.kubernetes.io/name": "unbound" })],
    ],
    ["one on the node by address", ["169.254.20.10/32"], [{ ipBlock: { cidr: "169.254.20.10/32" } }]],
    ["IPv6", ["fd00::a/128"], [{ ipBlock: { cidr: "fd00::a/128" } }]],
  ])("name service is %s", (_, dns, to) => {
    const { spec } = networkPolicyOf("ns", { egress: [], ...(dns ? { dns } : {}) });
    expect(spec.egress).toEqual([{ to, ports }]);
    expect(spec.policyTypes).toEqual(["Ingress", "Egress"]);
  });

  test("no rule of it is without an address: that would be all of them", () => {
    const { spec } = networkPolicyOf("ns", { egress: ["10.0.0.0/8", "192.0.2.1/32"] });
    for (const rule of spec.egress ?? []) expect((rule as { to: object[] }).to).not.toHaveLength(0);
    expect(spec.egress?.[1]).toEqual({
      to: [{ ipBlock: { cidr: "10.0.0.0/8" } }, { ipBlock: { cidr: "192.0.2.1/32" } }],
    });
  });

  test.each(["", "dns", "dns/", "dns/app", "/app=x", "kube-system/*=x", "10.0.0.1", "10.0.0.0/33", "::/129"])(
    "%j is no resolver",
    (text) => expect(() => resolverOf(text)).toThrow("--dns"),
  );

  test.each([
    ["10.0.0.0/8", true],
    ["0.0.0.0/0", true],
    ["fd00::/8", true],
    ["10.0.0.0", false],
    ["10.0.0/8", false],
    ["10.0.0.0/33", false],
    ["example.org/8", false],
    ["/8", false],
  ])("%s is a range of addresses: %s", (text, expected) => expect(isCidr(text)).toBe(expected));
});

describe("whether a fence stands", () => {
  const wanted = networkPolicyOf("ns", { egress: ["10.0.0.0/8"] });
  const { ingress: _, ...bare } = wanted.spec;
  test.each<[string, Partial<NetworkPolicy["spec"]>, boolean]>([
    ["as the API server gives it back", {}, true],
    ["with an empty list", { ingress: [] }, true],
    ["with visitors", { ingress: [{}] }, false],
    ["with everything reachable", { egress: [{}] }, false],
    ["with one address more", { egress: [...(wanted.spec.egress ?? []), { to: [] }] }, false],
    ["without egress in it", { policyTypes: ["Ingress"] }, false],
    ["for other pods", { podSelector: { matchLabels: { a: "b" } } }, false],
  ])("%s", (_name, change, expected) => {
    expect(stands({ ...wanted, spec: { ...bare, ...change } }, wanted)).toBe(expected);
  });
});
