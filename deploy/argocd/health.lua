-- How Argo CD sees a ManagedResource, Plugin, Admission or ClusterAdmission: by its standard conditions, and only by those of
-- the generation that is there now. Without this, Argo CD takes every object of these kinds for healthy.

local function condition(kind)
  for _, one in ipairs(obj.status.conditions or {}) do
    if one.type == kind then return one end
  end
end

local function is(kind, status)
  local one = condition(kind)
  return one ~= nil and one.status == status
end

local function say(status, kind)
  local one = condition(kind)
  local message = one.message or ""
  if message == "" then message = one.reason or "" end
  return {status = status, message = message}
end

-- A Plugin's version that was asked for and does not run, while an older one does. A registry that is away for a while
-- is no such thing.
local function refused()
  for _, stage in ipairs({"Resolved", "Verified", "Compiled"}) do
    local one = condition(stage)
    if one ~= nil and one.status == "False" and one.reason ~= "RegistryUnavailable" and one.reason ~= "RateLimited" then
      return true
    end
  end
  return false
end

if obj.metadata.deletionTimestamp ~= nil then
  return {status = "Progressing", message = "Being deleted"}
end
if obj.status == nil or condition("Ready") == nil then
  return {status = "Progressing", message = "Waiting for the operator"}
end
if obj.status.observedGeneration ~= obj.metadata.generation then
  return {status = "Progressing", message = "Waiting for the operator to see the last change"}
end
if is("Stalled", "True") then return say("Degraded", "Stalled") end
if is("Reconciling", "True") then return say("Progressing", "Reconciling") end
if is("Ready", "True") then
  return say(refused() and "Degraded" or "Healthy", "Ready")
end
-- Neither reconciling nor stalled: a Plugin. False is a reason, Unknown is none yet.
if is("Ready", "False") then return say("Degraded", "Ready") end
return say("Progressing", "Ready")
