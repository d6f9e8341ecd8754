package espejotetest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// selector is a label selector as kubectl -l takes it: all of its requirements must hold.
type selector []requirement

type requirement struct {
	key string
	// exists: the key alone is asked for. negated: as with !key, != and notin.
	exists, negated bool
	values          []string
}

var (
	setRequirement   = regexp.MustCompile(`^([^\s!=,()]+)\s+(in|notin)\s*\(([^()]*)\)$`)
	equalRequirement = regexp.MustCompile(`^([^\s!=,()]+)\s*(==|=|!=)\s*([^\s!=,()]*)$`)
	keyRequirement   = regexp.MustCompile(`^(!?)\s*([^\s!=,()]+)$`)
)

func parseSelector(text string) (selector, error) {
	var requirements selector
	for _, part := range splitOutsideOfParentheses(text) {
		parsed, err := parseRequirement(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		requirements = append(requirements, parsed)
	}
	return requirements, nil
}

func parseRequirement(text string) (requirement, error) {
	if found := setRequirement.FindStringSubmatch(text); found != nil {
		values := strings.Split(found[3], ",")
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		return requirement{key: found[1], negated: found[2] == "notin", values: values}, nil
	}
	if found := equalRequirement.FindStringSubmatch(text); found != nil {
		return requirement{key: found[1], negated: found[2] == "!=", values: []string{found[3]}}, nil
	}
	if found := keyRequirement.FindStringSubmatch(text); found != nil {
		return requirement{key: found[2], exists: true, negated: found[1] == "!"}, nil
	}
	return requirement{}, fmt.Errorf("%q is no requirement of a label selector", text)
}

func splitOutsideOfParentheses(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	depth := 0
	var parts []string
	start := 0
	for i, char := range text {
		switch {
		case char == '(':
			depth++
		case char == ')':
			depth--
		case char == ',' && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

func (s selector) matches(labels map[string]string) bool {
	return !slices.ContainsFunc(s, func(r requirement) bool { return !r.matches(labels) })
}

func (r requirement) matches(labels map[string]string) bool {
	value, has := labels[r.key]
	if r.exists {
		return has != r.negated
	}
	return (has && slices.Contains(r.values, value)) != r.negated
}
