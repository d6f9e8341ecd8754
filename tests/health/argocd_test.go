package health

import (
	"encoding/json"
	"os"
	"testing"

	lua "github.com/yuin/gopher-lua"
	luajson "layeh.com/gopher-json"
)

// health is what a script of Argo CD answers.
type health struct{ status, message string }

func healthScript(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile("../../deploy/argocd/health.lua")
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// argocdHealth runs a script as Argo CD does: without the libraries that reach out of it, with the object in the global obj.
func argocdHealth(t *testing.T, script string, object map[string]any) health {
	t.Helper()
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable,
	} {
		call := lua.P{Fn: state.NewFunction(open), NRet: 0, Protect: true}
		if err := state.CallByParam(call, lua.LString(name)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	value, err := luajson.Decode(state, text)
	if err != nil {
		t.Fatal(err)
	}
	state.SetGlobal("obj", value)
	if err := state.DoString(script); err != nil {
		t.Fatal(err)
	}
	answer, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		t.Fatalf("the script returned %v, expected a table", state.Get(-1))
	}
	return health{answer.RawGetString("status").String(), answer.RawGetString("message").String()}
}
