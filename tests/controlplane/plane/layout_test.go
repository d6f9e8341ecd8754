package plane

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOpenLayout(t *testing.T) {
	t.Run("makes a new directory", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "a", "b")
		if _, err := openLayout(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	})
	t.Run("resolves symbolic links", func(t *testing.T) {
		real, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(real, link); err != nil {
			t.Fatal(err)
		}
		files, err := openLayout(link)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := filepath.EvalSymlinks(real); string(files) != want {
			t.Errorf("%s, want %s", files, want)
		}
	})
	t.Run("refuses a directory with something in it", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "precious"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openLayout(dir); err == nil {
			t.Error("no error")
		}
	})
	t.Run("takes the directory of a detached supervisor", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "up.log"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openLayout(dir); err != nil {
			t.Error(err)
		}
	})
}
