import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KubeError } from "../../src/cluster/kube/error.ts";
import type { KubeObject, Resource } from "../../src/cluster/kube/resource.ts";
import { imageExpression } from "../../src/cluster/operator/allow/images.ts";
import { imageCases } from "../../src/cluster/operator/allow/test-images.ts";
import { ClusterScene, noCluster } from "./scene.ts";

const kindOf = (kind: string, plural: string): Resource<KubeObject & { spec: object }> => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind,
  plural,
  clusterScoped: true,
});
const policies = kindOf("ValidatingAdmissionPolicy", "validatingadmissionpolicies");
const bindings = kindOf("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings");

describe.skipIf(noCluster)("what --allow-image admits", () => {
  let scene: ClusterScene;
  let name: string;
  beforeAll(async () => {
    scene = await ClusterScene.open();
    name = `images.${scene.namespace}`;
    const validations = imageCases.map(([prefix, image, admitted], at) => ({
      expression: `object.metadata.name != "case-${at}" || (${imageExpression([prefix], "object.spec.image")}) == ${admitted}`,
      message: `the API server says otherwise of ${prefix} and ${image}`,
    }));
    const known = { expression: 'object.metadata.name != "probe"', message: "the policy holds" };
    await scene.client.create(policies, {
      ...{ apiVersion: policies.apiVersion, kind: policies.kind, metadata: { name } },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ["coxswain.dev"], apiVersions: ["*"], operations: ["CREATE"], resources: ["tasks"] },
          ],
        },
        validations: [known, ...validations],
      },
    });
    const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": scene.namespace } };
    await scene.client.create(bindings, {
      ...{ apiVersion: bindings.apiVersion, kind: bindings.kind, metadata: { name } },
      spec: { policyName: name, validationActions: ["Deny"], matchResources: { namespaceSelector } },
    });
    await scene.until("the policy to hold", async () => (await answer("probe", "x")).includes("the policy holds"));
  });
  afterAll(async () => {
    await scene?.client.delete(bindings, undefined, name);
    await scene?.client.delete(policies, undefined, name);
    await scene?.close();
  });

  async function answer(task: string, image: string): Promise<string> {
    const spec = { type: "own", prompt: "x", image, credentials: { type: "none" } };
    const body = { apiVersion: "coxswain.dev/v1alpha1", kind: "Task", metadata: { name: task }, spec };
    const path = `/apis/coxswain.dev/v1alpha1/namespaces/${scene.namespace}/tasks`;
    try {
      await scene.client.request("POST", path, { query: { dryRun: "All" }, body });
    } catch (error) {
      if (error instanceof KubeError) return error.message;
      throw error;
    }
    return "accepted";
  }

  test("the API server and the operator agree, case by case", async () => {
    const answers = await Promise.all(imageCases.map(([, image], at) => answer(`case-${at}`, image)));
    expect(answers).toEqual(imageCases.map(() => "accepted"));
  });
});
