// Words that every module shares. See object.d.ts.

/** @type {typeof import('./object.d.ts').written} */
export function written(id) {
  return id.namespace === '' ? `${id.kind} ${id.name}` : `${id.kind} ${id.namespace}/${id.name}`;
}
