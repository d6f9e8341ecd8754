package main

import (
	"context"
	"fmt"
	"os"

	"github.com/distribution/distribution/v3/configuration"
	"github.com/distribution/distribution/v3/registry"
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/inmemory"
)

// runRegistry serves the OCI registry that the configuration file, the only
// argument, describes.
func runRegistry() {
	if err := serveRegistry(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "registry:", err)
		os.Exit(1)
	}
}

func serveRegistry(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("expected one argument, the configuration file, got %d", len(args))
	}
	file, err := os.Open(args[0])
	if err != nil {
		return fmt.Errorf("open the configuration: %w", err)
	}
	config, err := configuration.Parse(file)
	file.Close()
	if err != nil {
		return fmt.Errorf("parse %s: %w", args[0], err)
	}
	server, err := registry.NewRegistry(context.Background(), config)
	if err != nil {
		return fmt.Errorf("configure: %w", err)
	}
	if err := server.ListenAndServe(); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
