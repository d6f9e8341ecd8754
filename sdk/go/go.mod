module espejote.io/sdk/go

go 1.24
