// The library that templates import as `espejote.libsonnet`: what the reconcile or the request is about, and options for
// what a template returns. Everything is lazy: a context, a trigger or a request that is not asked for is not read.
// Functions, since the values are those of one call, and the library is kept from call to call.
local context() = std.extVar('__internal_use_espejote_lib_context');
local trigger() = std.extVar('__internal_use_espejote_lib_trigger');
local request() = std.extVar('__internal_use_espejote_lib_admissionrequest');
local applyPatch = std.native('__internal_use_espejote_lib_function_apply_json_patch');

local optionsKey = '__internal_use_espejote_lib_apply_options';
local deletionKey = '__internal_use_espejote_lib_deletion';

local oneOf(name, allowed, value) =
  if std.member(allowed, value) then true
  else error '%s must be one of %s, is: %s' % [name, std.manifestJsonMinified(allowed), value];

local text(name, value) =
  if std.isString(value) then true else error '%s must be a string, is: %s' % [name, std.type(value)];

local withoutNulls(object) = { [key]: object[key] for key in std.objectFields(object) if object[key] != null };

local applyOptions(obj, fieldManager=null, fieldManagerSuffix=null, force=null, fieldValidation=null, subresource=null) =
  assert oneOf('fieldValidation', [null, 'Ignore', 'Strict'], fieldValidation);
  obj {
    [optionsKey]: withoutNulls({
      fieldManager: fieldManager,
      fieldManagerSuffix: fieldManagerSuffix,
      force: force,
      fieldValidation: fieldValidation,
      subresource: subresource,
    }),
  };

local markForDelete(obj, gracePeriodSeconds=null, propagationPolicy=null, preconditionUID=null, preconditionResourceVersion=null) =
  assert oneOf('propagationPolicy', [null, 'Background', 'Foreground', 'Orphan'], propagationPolicy);
  obj {
    [deletionKey]: withoutNulls({
      delete: true,
      gracePeriodSeconds: gracePeriodSeconds,
      propagationPolicy: propagationPolicy,
      preconditionUID: preconditionUID,
      preconditionResourceVersion: preconditionResourceVersion,
    }),
  };

local applyGroup(objs, errorPolicy='') =
  if errorPolicy == '' || errorPolicy == null then objs
  else
    assert oneOf('errorPolicy', ['Continue', 'Abort'], errorPolicy);
    [{
      apiVersion: 'internal.espejote.io/v1',
      kind: 'ApplyGroupConfig',
      spec: { errorPolicy: errorPolicy },
    }] + objs;

local decision(allowed, msg) =
  assert text('msg', msg);
  { allowed: allowed, message: msg };

local jsonPatchOp(op, path, value=null, from=null) =
  assert oneOf('op', ['add', 'remove', 'replace', 'move', 'copy', 'test'], op);
  { op: op, path: path, value: value } + (if from == null then {} else { from: from });

local assertPatch(patches, obj=request().object) =
  assert std.isArray(patches) : 'patches must be an array, is: %s' % std.type(patches);
  local result = applyPatch(obj, patches);
  if result[1] == null then patches else error 'JSON patch failed: %s' % result[1];

local patched(msg, patches) =
  assert std.isArray(patches) : 'patches must be an array, is: %s' % std.type(patches);
  decision(true, msg) { patches: patches };

{
  // Context name to list of objects, ordered by namespace, then name.
  context():: context(),
  // The name of the trigger; null for the reconcile of all objects.
  triggerName():: trigger().name,
  // null, or {resourceEvent: {apiVersion, kind, name, namespace}, resource: the object, null if it is gone}.
  triggerData():: trigger().data,
  applyOptions:: applyOptions,
  markForDelete:: markForDelete,
  applyGroup:: applyGroup,
  ALPHA:: {
    admission:: {
      admissionRequest():: request(),
      allowed(msg=''):: decision(true, msg),
      denied(msg=''):: decision(false, msg),
      jsonPatchOp:: jsonPatchOp,
      assertPatch:: assertPatch,
      patched:: patched,
    },
  },
}
