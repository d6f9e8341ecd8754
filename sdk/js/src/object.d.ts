/** Names one object of the cluster. */
export interface ObjectId {
  /** `group/version`, or `v1` for the core group. */
  apiVersion: string;
  kind: string;
  /** Empty: the kind is cluster-scoped. In what a plugin emits, empty for a namespaced kind means the owner's namespace. */
  namespace: string;
  name: string;
}

/** What every object of Kubernetes has. For more, write an interface that extends it, and give it as type argument. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/**
 * Stands for a content: equal revisions mean equal bytes, for as long as this instance lives. They have no order.
 *
 * To be compared with `===` and kept in variables of the module, for nothing else.
 */
export type Revision = number & { readonly revision: unique symbol };

/** `Pod shop/web`, for messages. */
export function written(id: Pick<ObjectId, 'kind' | 'namespace' | 'name'>): string;
